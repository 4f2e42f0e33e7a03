import 'reflect-metadata';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findMisspelt, InvalidEnvError, readEnv, SECRET_FILES } from '../../src/config/read-env.js';
import { Env } from '../../src/config/env.js';

const NAMES = [...Object.keys(new Env()), ...SECRET_FILES];

describe('the settings', () => {
  it('have the defaults of the class if they are absent or empty', () => {
    expect(readEnv({ PORT: '', DATA_DIR: '' })).toEqual(new Env());
  });

  it.each([
    ['DATABSE_URL=x', '  DATABSE_URL: is unknown. Did you mean DATABASE_URL?'],
    ['DATABSE_URL_FILE=x', '  DATABSE_URL_FILE: is unknown. Did you mean DATABASE_URL_FILE?'],
    ['DATABASEURL=x', '  DATABASEURL: is unknown. Did you mean DATABASE_URL?'],
    ['PROT=5104', '  PROT: is unknown. Did you mean PORT?'],
    ['PORTT=5104', '  PORTT: is unknown. Did you mean PORT?'],
    ['HOSTT=x', '  HOSTT: is unknown. Did you mean HOST?'],
    ['WORKER=2', '  WORKER: is unknown. Did you mean WORKERS?'],
    ['BASEURL=x', '  BASEURL: is unknown. Did you mean BASE_URL?'],
    ['Host=x', '  Host: is unknown. Did you mean HOST?'],
    ['RATE_LIMITS=1', '  RATE_LIMITS: is unknown. Did you mean RATE_LIMIT?'],
    ['PORT 5104\r\n', '  PORT: has no value. Write it as PORT=…'],
    ['A=1\nexport HOST\nB=2', '  HOST: has no value. Write it as HOST=…'],
  ])('in a file are not misspelt: %j', (text, mistake) => {
    expect(findMisspelt(text, NAMES)).toEqual([mistake]);
  });

  it.each([
    readFileSync('.env.example', 'utf8'),
    '',
    'POSTGRES_PASSWORD=x\nHOSTS=x\nPOST=x\nPORTS=x\nDB_HOST=x\nWORKER_ID=x\nSHOOT=x\nTROOP=x\nPGHOST=x\nNODE_OPTIONS=x',
    'SECRETS_KEY_FILE=/run/key\n# PORT 1\nPORT = 1\nPORT: 1=2\nA="HOST is"',
  ])('in a file may stand beside other names: %#', (text) => {
    expect(findMisspelt(text, NAMES)).toEqual([]);
  });

  it('refuse an empty URL of the database, which a missing secret may leave', () => {
    expect(() => readEnv({ DATABASE_URL: '' })).toThrow('DATABASE_URL: is empty.');
    expect(() => readEnv({ DATABASE_URL_FILE: '' })).toThrow('DATABASE_URL_FILE: is empty.');
  });

  it('refuse the same port for the service and its metrics, unless both are chosen freely', () => {
    expect(() => readEnv({ PORT: '3000', METRICS_PORT: '3000' })).toThrow(
      'METRICS_PORT: must not be the same as PORT',
    );
    expect(readEnv({ PORT: '0', METRICS_PORT: '0' })).toMatchObject({ METRICS_PORT: 0 });
  });

  it('take sslrootcert=system for the certificate authorities of Node.js', () => {
    const url = 'postgresql://user@db.example.com/list';
    for (const [given, read] of [
      ['?sslrootcert=system', '?sslmode=verify-full'],
      ['?sslmode=verify-full&sslrootcert=system&sslcert=a', '?sslmode=verify-full&sslcert=a'],
      ['?sslrootcert=system&sslmode=disable', '?sslmode=verify-full&'],
      ['?sslrootcert=system.crt', '?sslrootcert=system.crt'],
    ]) {
      const [DATABASE_URL, DATABASE_REPLICA_URL] = [`${url}${given}`, `${url}${given}`];
      expect(readEnv({ DATABASE_URL, DATABASE_REPLICA_URL })).toMatchObject({
        DATABASE_URL: `${url}${read}`,
        DATABASE_REPLICA_URL: `${url}${read}`,
      });
    }
  });

  it('refuse a read replica with several hosts, or without a primary', () => {
    const DATABASE_URL = 'postgresql://user@db.example.com/list';
    const DATABASE_REPLICA_URL = 'postgresql://user@replica.example.com/list?sslmode=require';
    expect(readEnv({ DATABASE_URL, DATABASE_REPLICA_URL })).toMatchObject({ DATABASE_REPLICA_URL });
    expect(() => readEnv({ DATABASE_REPLICA_URL })).toThrow('DATABASE_REPLICA_URL: needs DATABASE_URL');
    for (const wrong of ['postgresql://a,b/list', 'postgresql://a/list?target_session_attrs=read-write']) {
      expect(() => readEnv({ DATABASE_URL, DATABASE_REPLICA_URL: wrong })).toThrow(
        'DATABASE_REPLICA_URL: must look like',
      );
    }
  });

  it('refuse an identity provider without a client and roles', () => {
    const issuer = { OIDC_ISSUER: 'https://login.example.com' };
    const rest = { OIDC_CLIENT_ID: 'console', OIDC_CLIENT_SECRET: 's', OIDC_ROLES: 'leads=acme:admin' };
    expect(() => readEnv(issuer)).toThrow('OIDC_ISSUER: needs OIDC_CLIENT_ID');
    expect(() => readEnv({ ...issuer, ...rest, OIDC_ROLES: 'leads=acme:owner' })).toThrow(
      'OIDC_ROLES: must look',
    );
    expect(readEnv({ ...issuer, ...rest })).toMatchObject({ ...rest, OIDC_GROUPS_CLAIM: 'groups' });
  });

  it.each(['http://keycloak:8080/realms/acme', 'http://login.example.com'])(
    'refuse the identity provider %s, at which no sign-in would succeed',
    (OIDC_ISSUER) =>
      expect(() => readEnv({ OIDC_ISSUER })).toThrow(/OIDC_ISSUER: .* begin with https except on loopback/),
  );

  it.each(['loopback, 10.0.0.0/8', '2001:db8::/32', 'none'])('trust the proxies %s', (TRUST_PROXY) =>
    expect(readEnv({ TRUST_PROXY })).toMatchObject({ TRUST_PROXY }),
  );

  it.each(['0.0.0.0/0', 'loopback,::/0', '1', 'proxy.internal'])(
    'do not trust the proxies %s, which Express refuses',
    (TRUST_PROXY) =>
      expect(() => readEnv({ TRUST_PROXY })).toThrow(/TRUST_PROXY: must be none, or a list such as/),
  );

  it('are read from text', () => {
    const env = readEnv({ PORT: '0', MIGRATE_ON_START: 'false', RATE_LIMIT: '7', HOME: '/' });
    expect(env).toEqual(Object.assign(new Env(), { PORT: 0, MIGRATE_ON_START: false, RATE_LIMIT: 7 }));
  });

  it('may be numbers and booleans where a program passes them', () => {
    const given = { RATE_LIMIT: 7, MIGRATE_ON_START: false } as unknown as NodeJS.ProcessEnv;
    expect(readEnv(given)).toMatchObject(given);
  });

  it.each([
    'postgresql://user:p%40ss@db.example.com/list?sslmode=require',
    'postgres://[::1]:5432/list',
    'postgresql://user:secret@/list?host=/run/postgresql',
    'postgresql:///list?host=/run/postgresql',
    'postgresql://user:secret@a.example.com:5432,b.example.com/list?target_session_attrs=read-write',
    'postgresql://user@db.example.com/list?sslmode=require&target_session_attrs=primary',
  ])('accept the URL %s', (DATABASE_URL) => {
    expect(readEnv({ DATABASE_URL })).toMatchObject({ DATABASE_URL });
  });

  it.each([
    'postgresql://user@host:99999/list',
    'postgresql://user@host:port/list',
    'postgresql://',
    'postgresql://a,b:port/list',
    'postgresql://a,b/list?target_session_attrs=standby',
  ])('refuse the URL %s', (DATABASE_URL) => {
    expect(() => readEnv({ DATABASE_URL })).toThrow(
      /DATABASE_URL: must look like postgresql:\/\/user:password@host:5432\/database/,
    );
  });

  it.each([
    'https://lists.example.com/mail',
    'http://localhost:3000',
    'http://127.0.0.1',
    'http://[::1]:3000/',
  ])('accept the URL of recipients %s', (PUBLIC_URL) =>
    expect(readEnv({ PUBLIC_URL })).toMatchObject({ PUBLIC_URL }),
  );

  it.each(['http://lists.example.com', 'http://localhost.example.com', 'http://127.0.0.1.example.com'])(
    'refuse the URL of recipients %s, from which unsubscribe links cannot be made',
    (PUBLIC_URL) =>
      expect(() => readEnv({ PUBLIC_URL })).toThrow(/PUBLIC_URL: .* begin with https except on loopback/),
  );

  it('refuse a path in the URL of the console, whose links and cookies have none', () => {
    expect(() => readEnv({ BASE_URL: 'https://example.com/lists' })).toThrow(/BASE_URL: .* without a path/);
    const BASE_URL = 'https://example.com:8443/';
    expect(readEnv({ BASE_URL })).toMatchObject({ BASE_URL });
  });

  it('read secrets from files, unless the variable itself is set', () => {
    const folder = mkdtempSync(join(tmpdir(), 'suppression-list-secrets-'));
    const write = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const DATABASE_URL = 'postgresql://user:password@db.example.com/list';
    const SECRETS_KEY = 'ab'.repeat(32);
    const files = {
      DATABASE_URL_FILE: write('url', `${DATABASE_URL}\n`),
      DATABASE_REPLICA_URL_FILE: write('replica', 'postgresql://replica.example.com/list'),
      SECRETS_KEY_FILE: write('key', SECRETS_KEY),
      SECRETS_KEY_PREVIOUS_FILE: write('previous', 'cd'.repeat(32)),
      OIDC_CLIENT_SECRET_FILE: write('client', 'of the client'),
    };
    expect(readEnv(files)).toMatchObject({
      DATABASE_URL,
      DATABASE_REPLICA_URL: 'postgresql://replica.example.com/list',
      SECRETS_KEY,
      SECRETS_KEY_PREVIOUS: 'cd'.repeat(32),
      OIDC_CLIENT_SECRET: 'of the client',
    });
    expect(readEnv({ DATABASE_URL: '', DATABASE_URL_FILE: files.DATABASE_URL_FILE })).toMatchObject({
      DATABASE_URL,
    });
    expect(readEnv({ DATABASE_URL, DATABASE_URL_FILE: files.SECRETS_KEY_FILE })).toMatchObject({
      DATABASE_URL,
    });
    expect(() => readEnv({ DATABASE_URL_FILE: files.SECRETS_KEY_FILE })).toThrow(
      'DATABASE_URL: must look like',
    );
    const missing = join(folder, 'missing');
    expect(() => readEnv({ DATABASE_URL_FILE: write('empty', '\n'), SECRETS_KEY_FILE: missing })).toThrow(
      new InvalidEnvError(
        `Invalid settings:\n  DATABASE_URL_FILE: the file ${join(folder, 'empty')} is empty\n` +
          `  SECRETS_KEY_FILE: the file ${missing} cannot be read: it does not exist`,
      ),
    );
    rmSync(folder, { recursive: true });
  });

  it('are refused with a line for every mistake', () => {
    const wrong = {
      PORT: '65536',
      DATABASE_URL: 'mysql://localhost/list',
      DATABASE_POOL_SIZE: 'many',
      MIGRATE_ON_START: 'yes',
      RATE_LIMIT: '0',
      BASE_URL: 'suppressions.example.com',
      SECRETS_KEY: 'ab'.repeat(31),
      LOG_LEVEL: 'loud',
    };
    const refusal = (() => {
      try {
        return readEnv(wrong);
      } catch (error) {
        return error as InvalidEnvError;
      }
    })();
    expect(refusal).toBeInstanceOf(InvalidEnvError);
    expect(refusal).toMatchObject({ exitCode: 2 });
    const lines = (refusal as InvalidEnvError).message.split('\n').slice(1);
    expect(lines.map((line) => line.split(':')[0]!.trim())).toEqual(Object.keys(wrong));
  });

  it.each([
    ['PORT', 'abc', 'from 0 to 65535'],
    ['PORT', '0x50', 'from 0 to 65535'],
    ['DATABASE_POOL_SIZE', '1e1', 'from 2 to 1000'],
    ['RATE_LIMIT', '1.5', 'of 1 or more'],
  ])('are refused with one message each: %s=%s', (name, value, range) => {
    const complaint = `Invalid settings:\n  ${name}: must be a whole number ${range}`;
    expect(() => readEnv({ [name]: value })).toThrow(new InvalidEnvError(complaint));
  });

  it.each(['10.1.0.0/16', '127.0.0.0/8, fd00::/8', '::ffff:10.0.0.0/104', '0.0.0.0/0'])(
    'let webhooks reach the networks %s',
    (WEBHOOK_ALLOWED_NETWORKS) => {
      expect(readEnv({ WEBHOOK_ALLOWED_NETWORKS })).toMatchObject({ WEBHOOK_ALLOWED_NETWORKS });
    },
  );

  it.each([
    '10.1.0.0',
    '10.1.0.0/33',
    '10.1/16',
    'fe80::1%eth0/64',
    'localhost',
    'fd00::/129',
    '10.0.0.0/8,',
  ])('do not let webhooks reach %s', (WEBHOOK_ALLOWED_NETWORKS) => {
    const complaint =
      'Invalid settings:\n  WEBHOOK_ALLOWED_NETWORKS: must be a list of networks such as 10.1.0.0/16,fd00::/8';
    expect(() => readEnv({ WEBHOOK_ALLOWED_NETWORKS })).toThrow(new InvalidEnvError(complaint));
  });
});
