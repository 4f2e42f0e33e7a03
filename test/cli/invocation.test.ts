import { commandLine } from '../../src/cli/options.js';
import { readInvocation } from '../../src/config/client-env.js';

describe('a command that is printed', () => {
  it('begins as the user began the present one', () => {
    const linked = '/usr/local/bin/suppressions';
    expect(readInvocation({}, linked)).toBe('suppressions');
    expect(readInvocation({}, `${process.cwd()}/dist/src/cli/main.js`)).toBe('node dist/src/cli/main.js');
    expect(readInvocation({ npm_lifecycle_event: 'cli' }, linked)).toBe('npm run cli --');
    expect(readInvocation({ npm_lifecycle_event: 'npx' }, linked)).toBe('npx suppressions');
  });

  it('is quoted for the shell', () => {
    expect(commandLine('source', 'secret', 'name=-', 'a b', "it's", '')).toMatch(
      / source secret name=- 'a b' 'it'\\''s' ''$/,
    );
  });
});
