import type { Provider } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { AccountsService } from '../../accounts/accounts.service.js';
import type { Env } from '../../config/env.js';
import { IdentitiesService } from '../people/identities.service.js';
import { SessionsService } from '../people/sessions.service.js';
import { groupRolesIn, OidcSignIn } from './oidc-sign-in.js';

/** The injection token of the {@link OidcSignIn}; null if the operator has set no identity provider. */
export const OIDC_SIGN_IN = Symbol('OIDC_SIGN_IN');

export function oidcProvider(env: Env, baseUrl: string): Provider {
  return {
    provide: OIDC_SIGN_IN,
    inject: [getDataSourceToken(), AccountsService, IdentitiesService, SessionsService],
    useFactory: async (
      dataSource: DataSource,
      accounts: AccountsService,
      identities: IdentitiesService,
      sessions: SessionsService,
    ) => {
      const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = env;
      if (!issuer || !clientId || !clientSecret) {
        return null;
      }
      const redirectUri = `${baseUrl}/console/sign-in/oidc/callback`;
      const { OIDC_GROUPS_CLAIM: groupsClaim, OIDC_TRUST_EMAIL: trustsEmail } = env;
      const { OidcClient } = await import('./oidc-client.js');
      const client = new OidcClient({
        issuer,
        clientId,
        clientSecret,
        groupsClaim,
        trustsEmail,
        redirectUri,
      });
      const groupRoles = env.OIDC_ROLES === undefined ? [] : groupRolesIn(env.OIDC_ROLES);
      return new OidcSignIn(dataSource, client, groupRoles, accounts, identities, sessions);
    },
  };
}
