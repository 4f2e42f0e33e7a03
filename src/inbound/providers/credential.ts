import { BadSignatureError } from './errors.js';
import { secretOf, headerOf, equalInConstantTime } from './proof.js';
import type { InboundRequest, Secret, SourceSettings, Verified } from './provider.js';

const LONG_ENOUGH = /^[\x21-\x7e]{16,}$/;

/**
 * For a secret of any format, which a person may choose: long enough to resist guessing, in characters that headers and URLs
 * can carry.
 *
 * @returns the `problemWith` of a secret of this name
 */
export function hardToGuess(name: string): (value: string) => string | undefined {
  return (value) =>
    LONG_ENOUGH.test(value)
      ? undefined
      : `The ${name} must have at least 16 ASCII characters, and no spaces.`;
}

const SCHEME_AND_CREDENTIAL = /^(basic|bearer) +([\x21-\x7e]+)$/i;

/** For providers that sign nothing: the service generates both, and a person enters them at the provider. */
export const CREDENTIAL: readonly Secret[] = [
  {
    name: 'username',
    description: 'The username in the URL: https://username:password@host/inbound/…',
    generatedBy: 'service',
    problemWith: (value) => (value.includes(':') ? 'A user name must not contain a colon.' : undefined),
  },
  {
    name: 'password',
    description: 'The password in the URL. It is also accepted as a bearer token.',
    generatedBy: 'service',
    problemWith: hardToGuess('password'),
  },
];

/**
 * Basic (RFC 7617) with the source's user name and password, or Bearer (RFC 6750) with its password.
 *
 * @throws {BadSignatureError}
 */
export async function verifyCredential(
  { headers }: InboundRequest,
  source: SourceSettings,
): Promise<Verified> {
  const username = secretOf(source, 'username');
  const password = secretOf(source, 'password');
  const [, scheme, shown] = SCHEME_AND_CREDENTIAL.exec(headerOf(headers, 'authorization') ?? '') ?? [];
  if (!scheme || !shown) {
    throw new BadSignatureError('it has no credential');
  }
  const isBasic = scheme.toLowerCase() === 'basic';
  const given = isBasic ? Buffer.from(shown, 'base64') : shown;
  if (!equalInConstantTime(given, isBasic ? `${username}:${password}` : password)) {
    throw new BadSignatureError('its credential is wrong');
  }
  return {};
}
