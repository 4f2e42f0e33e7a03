import { Logger, type Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Account } from '../../accounts/account.entity.js';
import { AccountNotFoundError, AccountsService } from '../../accounts/accounts.service.js';
import type { Env } from '../../config/env.js';
import { transactionBefore } from '../../database/transaction.js';
import { InvalidEmailAddress, parseEmailAddress } from '../../email-address/email-address.js';
import { IdentityProviderError } from '../people/errors.js';
import { IdentitiesService } from '../people/identities.service.js';
import { ROLES, type Role } from '../people/roles.js';
import { SessionsService } from '../people/sessions.service.js';
import type { OidcClient, PendingSignIn } from './oidc-client.js';

/** The role that the members of a group have in an account. */
interface GroupRole {
  group: string;
  account: string;
  role: Role;
}

const GROUP_ROLE = /^([^=,]+)=([a-z0-9][a-z0-9-]*):(viewer|editor|admin)$/;

/** Reads `support=acme:editor,operations=acme:admin`. */
function groupRolesIn(setting: string): GroupRole[] {
  return setting.split(',').map((part) => {
    const [, group, account, role] = GROUP_ROLE.exec(part.trim()) ?? [];
    return { group: group!, account: account!, role: role as Role };
  });
}

/** The accounts of a person, in the order of the setting, with the highest role that the groups give. */
function rolesOf(groups: readonly string[], groupRoles: GroupRole[]): Map<string, Role> {
  const roles = new Map<string, Role>();
  for (const { group, account, role } of groupRoles) {
    const present = roles.get(account);
    if (groups.includes(group) && (!present || ROLES.indexOf(role) > ROLES.indexOf(present))) {
      roles.set(account, role);
    }
  }
  return roles;
}

/** Signs in users of an identity provider, with the roles of their groups. */
export class OidcSignIn {
  private readonly logger = new Logger(OidcSignIn.name);

  constructor(
    private readonly dataSource: DataSource,
    readonly client: OidcClient,
    private readonly groupRoles: GroupRole[],
    private readonly accounts: AccountsService,
    private readonly identities: IdentitiesService,
    private readonly sessions: SessionsService,
  ) {}

  /**
   * @param accountName - whose console to open; empty for the first existing one in which the person has a role
   * @returns the token of a new session
   * @throws {IdentityProviderError}
   * @throws {IdentityMismatchError}
   * @throws {DeadlineExceededError}
   */
  async finish(
    query: string,
    pending: PendingSignIn,
    accountName: string,
    deadline: number,
  ): Promise<string> {
    const identity = await this.client.finish(query, pending);
    const email = parseEmailAddress(identity.email);
    const roles = rolesOf(identity.groups, this.groupRoles);
    // One transaction for each account: they may be on different servers.
    for (const { id, name } of await this.identities.findAccounts(this.dataSource.manager, identity)) {
      await transactionBefore(this.dataSource, { accountId: id, deadline }, (transaction) =>
        this.identities.followRole(transaction, id, identity, roles.get(name)),
      );
    }
    const names = [...roles.keys()].filter((name) => accountName === '' || name === accountName);
    const account = await this.firstOf(names);
    if (!account || email instanceof InvalidEmailAddress) {
      throw new IdentityProviderError(
        'None of your groups has a role in this console. Ask the operator of this service.',
      );
    }
    const role = roles.get(account.name)!;
    return transactionBefore(this.dataSource, { accountId: account.id, deadline }, async (transaction) => {
      const person = await this.identities.identify(transaction, account.id, { ...identity, email }, role);
      return this.sessions.start(transaction, person, { method: 'identity_provider' });
    });
  }

  /** The first account that exists. */
  private async firstOf(names: string[]): Promise<Account | null> {
    for (const name of names) {
      const account = await this.accountNamed(name);
      if (account) {
        return account;
      }
    }
    return null;
  }

  /** `OIDC_ROLES` may name an account that is yet to be created. */
  private async accountNamed(name: string): Promise<Account | null> {
    try {
      return await this.accounts.get(name);
    } catch (error) {
      if (error instanceof AccountNotFoundError) {
        this.logger.warn({ msg: 'OIDC_ROLES names an account that does not exist', account: name });
        return null;
      }
      throw error;
    }
  }
}

/** Provides {@link OidcSignIn}, or null if the operator has set no identity provider. */
export function oidcProvider(env: Env, baseUrl: string): Provider {
  return {
    provide: OidcSignIn,
    inject: [DataSource, AccountsService, IdentitiesService, SessionsService],
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
