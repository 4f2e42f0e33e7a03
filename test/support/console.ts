import request, { type Agent } from 'supertest';
import { AccountsService } from '../../src/accounts/accounts.service.js';
import { PeopleService } from '../../src/console/people/people.service.js';
import type { Role } from '../../src/console/people/roles.js';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { OPERATOR } from './operator.js';
import type { TestApp } from './test-app.js';
import type { World } from './world.js';

/** A world, or another service, whose accounts are named by the tests. */
type Service = TestApp & Partial<Pick<World, 'acme'>>;

/** Makes a link for a person of an account, as the command line does. */
export async function invite(
  { app, acme, url }: Service,
  role: Role,
  email = `${role}@acme.example`,
  account = acme!.name,
): Promise<string> {
  const { id } = await app.get(AccountsService).get(account);
  const people = app.get(PeopleService);
  const { token } = await people.invite(
    { accountId: id, actor: OPERATOR, deadline: Infinity },
    email as EmailAddress,
    role,
  );
  return `${url}/console/sign-in/${token}`;
}

/** A browser in which a person is signed in. */
export async function signIn(
  world: Service,
  role: Role,
  email = `${role}@acme.example`,
  account = world.acme!.name,
): Promise<Agent> {
  const link = new URL(await invite(world, role, email, account));
  const browser = browserAt(world);
  await browser.post(link.pathname).expect(303);
  return browser;
}

/** A browser that keeps cookies, and says that forms come from our own pages. */
export function browserAt({ url }: TestApp): Agent {
  return request.agent(url).set('Sec-Fetch-Site', 'same-origin').type('form') as Agent;
}

/** What the page of an address sends to lift causes, as it is shown at this moment. */
export async function liftForm(
  browser: Agent,
  email: string,
  ...causes: string[]
): Promise<{ email: string; cause: string[] }> {
  const { text } = await browser.get('/console').query({ q: email }).expect(200);
  const shown = [...text.matchAll(/name="cause" value="((\w+) [^"]+)"/g)];
  const chosen = shown.filter(([, , cause]) => causes.includes(cause!));
  return { email, cause: [...new Set(chosen.map(([, value]) => value!))] };
}

/** Lets the sign-ins of everybody be an hour ago. */
export async function ageSignIns({ database }: World): Promise<void> {
  await database.query(`UPDATE console_sessions SET signed_in_at = signed_in_at - interval '1 hour'`);
}
