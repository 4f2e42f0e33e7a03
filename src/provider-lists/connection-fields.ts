import { ValidationError } from '../http/errors/errors.js';
import type { FieldError } from '../http/errors/error-body.js';
import { findUnknownFields } from '../validation/unknown-fields.js';
import type { Connection, ListProvider } from './providers/provider.js';

/** Characters that credentials may have, because they become parts of headers. */
const CREDENTIAL = /^[!-~]{1,512}$/;

/**
 * Reads the scope that a list of a provider must have.
 *
 * @throws {ValidationError}
 */
export function parseScope(provider: ListProvider, given: Record<string, unknown>): Connection['scope'] {
  const problems = unknownFields('scope', given, provider.scope);
  const values = provider.scope.flatMap(({ name, pattern, problem, default: fallback }) => {
    const value = given[name] ?? fallback;
    if (value === null) {
      return [];
    }
    if (typeof value !== 'string' || !pattern.test(value)) {
      problems.push({ path: `scope.${name}`, message: value === undefined ? 'must be given' : problem });
    }
    return [[name, value]];
  });
  requireNone(problems);
  return Object.fromEntries(values) as Connection['scope'];
}

/**
 * Reads the credentials that a list of a provider must have. The error quotes none of them.
 *
 * @throws {ValidationError}
 */
export function parseCredentials(
  provider: ListProvider,
  given: Record<string, unknown>,
): Connection['credentials'] {
  const problems = unknownFields('credentials', given, provider.credentials);
  for (const { name } of provider.credentials) {
    const value = given[name];
    if (typeof value !== 'string' || !CREDENTIAL.test(value)) {
      const message =
        value === undefined
          ? 'must be given'
          : 'must have 1 to 512 visible characters of ASCII, without spaces';
      problems.push({ path: `credentials.${name}`, message });
    }
  }
  requireNone(problems);
  return given as Connection['credentials'];
}

function unknownFields(
  parent: string,
  given: Record<string, unknown>,
  known: readonly { name: string }[],
): FieldError[] {
  const names = known.map(({ name }) => name);
  return findUnknownFields(Object.keys(given), names).map(({ path, message }) => ({
    path: `${parent}.${path}`,
    message,
  }));
}

function requireNone(problems: FieldError[]): void {
  if (problems.length > 0) {
    throw ValidationError.ofFields(problems);
  }
}
