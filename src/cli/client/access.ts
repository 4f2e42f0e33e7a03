import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readClientEnv } from '../../config/client-env.js';
import { fileProblem } from '../../process/file-problem.js';
import { OperatorError, UsageError } from '../../process/operator-error.js';
import { toUrl } from '../../process/to-url.js';
import { commandLine } from '../options.js';

export interface Access {
  url: string;
  key: string;
}

class DamagedFileError extends OperatorError {}

export const KEY_VARIABLE = 'SUPPRESSIONS_API_KEY';

export function accessFile(): string {
  return join(readClientEnv().XDG_CONFIG_HOME, 'suppressions', 'access.json');
}

/** Replaces the file, so that only its owner can read it, whatever its mode was. */
export function storeAccess(access: Access): void {
  const file = accessFile();
  const part = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    rmSync(part, { force: true });
    writeFileSync(part, `${JSON.stringify(access, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(part, file);
  } catch (error) {
    discard(part);
    throw new OperatorError(
      `The key cannot be stored: ${(error as Error).message}. Set XDG_CONFIG_HOME to another folder, or, instead of logging in, ` +
        `set SUPPRESSIONS_URL and ${KEY_VARIABLE}.`,
    );
  }
}

function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // What made the writing fail, such as a read-only disk, is reported.
  }
}

/** Deletes the stored key, even if it cannot be read. Returns what to say about it. */
export function removeAccess(): string {
  const said = logoutMessage();
  rmSync(accessFile(), { force: true });
  return said;
}

function logoutMessage(): string {
  try {
    const stored = readStored();
    return stored ? `Logged out of ${stored.url}.` : 'Not logged in.';
  } catch (error) {
    if (error instanceof DamagedFileError) {
      return 'Logged out.';
    }
    throw error;
  }
}

/**
 * The environment takes precedence over the file, which is read only if the environment lacks something. A stored key is never
 * sent to another service.
 *
 * @throws {UsageError} without a URL and a key
 */
export function readAccess(): Access {
  const { SUPPRESSIONS_URL, SUPPRESSIONS_API_KEY } = readClientEnv();
  const stored = SUPPRESSIONS_URL && SUPPRESSIONS_API_KEY ? undefined : readStored();
  const storedUrl = stored && parseUrl(stored.url);
  const url = SUPPRESSIONS_URL ? parseUrl(SUPPRESSIONS_URL) : storedUrl;
  const key = SUPPRESSIONS_API_KEY || (storedUrl === url ? stored?.key : undefined);
  if (!url || !key) {
    throw new UsageError(
      `Set SUPPRESSIONS_URL and SUPPRESSIONS_API_KEY, or log in first: ${exampleOfLogin()}`,
    );
  }
  return { url, key: parseKey(key) };
}

function readStored(): Access | undefined {
  try {
    return JSON.parse(readFileSync(accessFile(), 'utf8')) as Access;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined;
    }
    throw error instanceof SyntaxError
      ? new DamagedFileError(`${accessFile()} is damaged. Log in again: ${exampleOfLogin()}`)
      : new OperatorError(`${accessFile()} cannot be read: ${fileProblem(error)}.`);
  }
}

function exampleOfLogin(): string {
  return commandLine('login', '--url', 'https://suppressions.example.com');
}

/** @throws {UsageError} unless a header can have it */
export function parseKey(text: string): string {
  if (!/^[!-~]+$/.test(text)) {
    throw new UsageError('The API key has a character that no API key has. Copy it again.');
  }
  return text;
}

/** @throws {UsageError} unless it is an HTTP URL */
export function parseUrl(text: string): string {
  if (!/^https?:\/\/[^\s?#]+$/.test(text) || !toUrl(text)) {
    throw new UsageError(`${text} is not a URL such as https://suppressions.example.com`);
  }
  return text.replace(/\/+$/, '');
}
