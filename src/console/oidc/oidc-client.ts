import { Logger } from '@nestjs/common';
import * as client from 'openid-client';
import { ServiceUnavailableError } from '../../http/errors/errors.js';
import { isLoopback } from '../../http/server/network-addresses.js';
import { IdentityProviderError } from '../people/errors.js';

export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The name of the claim with the groups of a person. */
  groupsClaim: string;
  /** Whether an address counts as verified if the id token does not say so. */
  trustsEmail: boolean;
  redirectUri: string;
}

/** The state that the browser keeps between the two halves of a sign-in. */
export interface PendingSignIn {
  state: string;
  nonce: string;
  verifier: string;
}

/** A user of the identity provider. */
export interface Identity {
  issuer: string;
  /** Unique at the provider, and never given to somebody else. */
  subject: string;
  email: string;
  groups: string[];
}

/** How long ago the person may have entered credentials at most. Shorter than the time for which a sign-in counts as recent. */
const MAX_AGE_SECONDS = 5 * 60;

/** A clock of the provider may be ahead of ours. */
const CLOCK_TOLERANCE_SECONDS = 30;

/** A sign-in usually takes two requests to the provider, for the token and the keys, and must end before its deadline. */
const TIMEOUT_SECONDS = 2;

const UNREACHABLE = 'The identity provider cannot be reached. Try again in a moment.';

/** Signs people in at an identity provider by OpenID Connect, with the authorization code flow and PKCE. */
export class OidcClient {
  private readonly logger = new Logger(OidcClient.name);
  private configuration?: Promise<client.Configuration> | undefined;

  constructor(private readonly settings: OidcSettings) {}

  /**
   * Returns the URL of the sign-in. The provider must ask for credentials, so that a new session counts as a recent sign-in.
   */
  async begin(): Promise<{ url: URL; pending: PendingSignIn }> {
    const configuration = await this.discover();
    const verifier = client.randomPKCECodeVerifier();
    const pending = { state: client.randomState(), nonce: client.randomNonce(), verifier };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.settings.redirectUri,
      scope: 'openid email profile',
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      prompt: 'login',
      max_age: String(MAX_AGE_SECONDS),
    });
    return { url, pending };
  }

  /**
   * @param query - with which the identity provider sent the browser back
   * @throws {IdentityProviderError}
   * @throws {ServiceUnavailableError} if the identity provider does not respond
   */
  async finish(query: string, { state, nonce, verifier }: PendingSignIn): Promise<Identity> {
    const configuration = await this.discover();
    const tokens = await client
      .authorizationCodeGrant(configuration, new URL(`${this.settings.redirectUri}?${query}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
        maxAge: MAX_AGE_SECONDS,
      })
      .catch((error: OidcError) => this.refuse(error));
    const claims = tokens.claims()!;
    if (claims.auth_time! > Date.now() / 1_000 + CLOCK_TOLERANCE_SECONDS) {
      throw new IdentityProviderError(
        'The identity provider reports a sign-in in the future. Its clock, or the clock of this service, is wrong.',
      );
    }
    const { email_verified: isVerified = this.settings.trustsEmail } = claims;
    if (typeof claims.email !== 'string' || isVerified !== true) {
      throw new IdentityProviderError(
        'The identity provider does not report your address as verified. Verify it there, or ask its administrator.',
      );
    }
    const { iss: issuer, sub: subject, email } = claims;
    return { issuer, subject, email, groups: groupsIn(claims, this.settings.groupsClaim) };
  }

  /** A failed discovery is tried again by the next sign-in. */
  private discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    const url = new URL(issuer);
    const insecure = isLoopback(url.hostname) ? [client.allowInsecureRequests] : [];
    const execute = [client.enableNonRepudiationChecks, ...insecure];
    this.configuration ??= client
      .discovery(url, clientId, clientSecret, undefined, { execute, timeout: TIMEOUT_SECONDS })
      .catch((error: OidcError) => {
        this.configuration = undefined;
        this.logger.warn({ msg: 'the identity provider cannot be used', error: nameOf(error) });
        throw new ServiceUnavailableError(UNREACHABLE);
      });
    return this.configuration;
  }

  private refuse(error: OidcError): never {
    this.logger.warn({ msg: 'a sign-in at the identity provider failed', error: nameOf(error) });
    if (isUnavailable(error)) {
      throw new ServiceUnavailableError(UNREACHABLE);
    }
    throw new IdentityProviderError('The identity provider did not sign you in. Try again.');
  }
}

/**
 * Some providers send the only group of a person as a string.
 *
 * @throws {IdentityProviderError} if the claim is neither a string nor a list of strings
 */
function groupsIn(claims: client.IDToken, name: string): string[] {
  const groups = [claims[name] ?? []].flat();
  if (!groups.every((group) => typeof group === 'string')) {
    throw new IdentityProviderError(
      `The identity provider sends the claim ${name} in a form that is not supported. It must be a list of names.`,
    );
  }
  return groups;
}

interface OidcError {
  name?: string;
  code?: string;
  status?: number;
  cause?: OidcError;
}

/** Whether the provider did not respond, rather than refuse: a network error, a timeout, or a status of 500 and more. */
function isUnavailable({ name, code, status = 0, cause }: OidcError): boolean {
  const isNetworkError = name === 'TypeError' && code === undefined;
  const isTimeout = code === 'OAUTH_TIMEOUT';
  return isNetworkError || isTimeout || status >= 500 || (!!cause && isUnavailable(cause));
}

/** Messages may quote tokens, so only the kind of the error is logged. */
function nameOf({ name = 'Error', code = '' }: OidcError): string {
  return `${name} ${code}`.trim();
}
