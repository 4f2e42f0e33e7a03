import { homedir } from 'node:os';
import { join } from 'node:path';
import { readClientEnv } from '../../src/config/client-env.js';

describe('the settings of client commands', () => {
  it('are those of the environment', () => {
    const env = {
      SUPPRESSIONS_URL: 'https://suppressions.example.com',
      SUPPRESSIONS_API_KEY: 'sup_1',
      XDG_CONFIG_HOME: '/settings',
    };
    expect(readClientEnv({ ...env, DATABASE_URL: 'postgresql://localhost' })).toEqual(env);
  });

  it('count as absent if they are empty', () => {
    expect(readClientEnv({ SUPPRESSIONS_URL: '', SUPPRESSIONS_API_KEY: '', XDG_CONFIG_HOME: '' })).toEqual({
      SUPPRESSIONS_URL: undefined,
      SUPPRESSIONS_API_KEY: undefined,
      XDG_CONFIG_HOME: join(homedir(), '.config'),
    });
  });
});
