import type { World } from './world.js';

/** Where recipients reach the service of a test. */
export const PUBLIC_URL = 'https://lists.example.com';

/** The token of a link for one recipient. */
export async function tokenFor(
  world: World,
  apiKey: string,
  email: string,
  options: { topic?: string; source_id?: string } = {},
): Promise<string> {
  const { body } = await world
    .as(apiKey)
    .post('/unsubscribe-links')
    .send({ emails: [email], ...options })
    .expect(200);
  return body.data[0].url.slice(`${PUBLIC_URL}/u/`.length);
}

/** A topic that its recipients can see, and may opt out of. */
export async function createTopic(
  world: World,
  apiKey: string,
  key: string,
  more: object = {},
): Promise<string> {
  const topic = { name: key, key, default_subscription: 'opt_in', visibility: 'public', ...more };
  const { body } = await world.as(apiKey).post('/topics').send(topic).expect(201);
  return body.id;
}

/** The verdict on an address, for mail of any kind or for the mail of a topic. */
export async function verdictOn(
  world: World,
  apiKey: string,
  email: string,
  purpose: { topic?: string; transactional?: boolean } = {},
): Promise<string> {
  const { body } = await world
    .as(apiKey)
    .post('/suppressions/check')
    .send({ emails: [email], ...purpose })
    .expect(200);
  return body.data[0].verdict;
}

/** The history of an address, oldest line first; empty if it never changed. */
export async function historyOf(
  world: World,
  apiKey: string,
  email: string,
): Promise<Record<string, unknown>[]> {
  const { body } = await world.as(apiKey).get(`/suppressions/${encodeURIComponent(email)}/history`);
  return (body.data ?? []).toReversed();
}

/** Presses a button of the page, with the fields of its form. */
export function press(
  world: World,
  token: string,
  action: string,
  fields: [string, string][] = [],
): Promise<Response> {
  return fetch(`${world.url}/u/${token}`, {
    method: 'POST',
    body: new URLSearchParams([['action', action], ...fields]),
  });
}
