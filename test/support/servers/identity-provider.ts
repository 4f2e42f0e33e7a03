import { randomUUID } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';

export const CLIENT_SECRET = 'secret';

/** What the identity provider says about the next person who signs in. */
export interface Person {
  /** The same for an address unless given. */
  sub?: string;
  email?: string;
  /** True unless given. */
  email_verified?: boolean | undefined;
  groups?: unknown;
  /** When the person entered credentials, in seconds; now unless given. */
  auth_time?: number | undefined;
}

/** No signature at all, that of another key, a changed token, or the secret of the client as the key. */
export type Forgery = 'unsigned' | 'foreign key' | 'changed' | 'client secret';

export interface IdentityProvider {
  issuer: string;
  /** Who signs in next. */
  person: Person;
  /** How the next id token is signed, unless by the provider's key. */
  forgery?: Forgery | undefined;
  /** The requests to authorize that arrived. */
  authorizationRequests: URLSearchParams[];
  /** Responds to the next request for a token in place of the provider. */
  onToken?: ((response: ServerResponse) => void) | undefined;
  close(): Promise<void>;
}

/** A small OpenID provider on the loopback interface, at which everybody is signed in without a question. */
export async function startIdentityProvider(clientId: string): Promise<IdentityProvider> {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const { privateKey: foreignKey } = await generateKeyPair('RS256');
  const nonces = new Map<string, string>();
  const provider: IdentityProvider = {
    issuer: '',
    person: {},
    authorizationRequests: [],
    close: async () => undefined,
  };

  const idToken = async (nonce: string) => {
    const { forgery } = provider;
    provider.forgery = undefined;
    const claims = {
      email_verified: true,
      auth_time: Math.floor(Date.now() / 1_000),
      ...provider.person,
      nonce,
    };
    const alg = forgery === 'client secret' ? 'HS256' : 'RS256';
    const key = forgery === 'foreign key' ? foreignKey : privateKey;
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg, kid: 'key' })
      .setIssuer(provider.issuer)
      .setAudience(clientId)
      .setSubject(provider.person.sub ?? provider.person.email?.toLowerCase() ?? 'someone')
      .setIssuedAt()
      .setExpirationTime('5 minutes')
      .sign(alg === 'HS256' ? new TextEncoder().encode(CLIENT_SECRET) : key);
    const [header, payload, signature] = token.split('.');
    switch (forgery) {
      case 'unsigned':
        return `${base64url({ alg: 'none' })}.${payload}.`;
      case 'changed':
        return `${header}.${base64url({ ...decodeJwt(token), groups: ['admins'] })}.${signature}`;
      default:
        return token;
    }
  };

  const answers: Record<string, (query: URLSearchParams, body: URLSearchParams) => unknown> = {
    '/.well-known/openid-configuration': () => ({
      issuer: provider.issuer,
      authorization_endpoint: `${provider.issuer}/authorize`,
      token_endpoint: `${provider.issuer}/token`,
      jwks_uri: `${provider.issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    }),
    '/jwks': async () => ({ keys: [{ ...(await exportJWK(publicKey)), kid: 'key', alg: 'RS256' }] }),
    '/token': async (_query, body) => ({
      access_token: 'unused',
      token_type: 'Bearer',
      id_token: await idToken(nonces.get(body.get('code')!) ?? ''),
    }),
  };

  const server: Server = createServer((request, response) => {
    const url = new URL(request.url!, provider.issuer);
    if (url.pathname === '/authorize') {
      const code = randomUUID();
      provider.authorizationRequests.push(url.searchParams);
      nonces.set(code, url.searchParams.get('nonce')!);
      const back = new URL(url.searchParams.get('redirect_uri')!);
      back.search = new URLSearchParams({ code, state: url.searchParams.get('state')! }).toString();
      response.writeHead(302, { Location: back.href }).end();
      return;
    }
    if (url.pathname === '/token' && provider.onToken) {
      provider.onToken(response);
      provider.onToken = undefined;
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      void Promise.resolve(
        answers[url.pathname]?.(url.searchParams, new URLSearchParams(Buffer.concat(chunks).toString())),
      ).then((answer) =>
        response
          .writeHead(answer ? 200 : 404, { 'Content-Type': 'application/json' })
          .end(JSON.stringify(answer ?? {})),
      );
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  provider.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  provider.close = () => new Promise((closed) => server.close(() => closed()));
  return provider;
}

function base64url(json: object): string {
  return Buffer.from(JSON.stringify(json)).toString('base64url');
}
