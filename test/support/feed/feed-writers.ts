import { setTimeout as delay } from 'node:timers/promises';

/** An instance that may be away. */
export interface Instance {
  url: string;
  key: string;
}

/** Asks an instance; undefined if it is away or its database is. */
export async function tryTo(
  { url, key }: Instance,
  path: string,
  init: RequestInit = {},
): Promise<Response | undefined> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...init.headers };
  const response = await fetch(`${url}${path}`, { ...init, headers }).catch(() => undefined);
  return response?.ok ? response : undefined;
}

const ADDRESSES = 3_000;
const EVENT_TYPES = ['bounce', 'unsubscribe', 'complaint'];

function pick<Element>(from: readonly Element[]): Element {
  return from[Math.floor(Math.random() * from.length)]!;
}

function addresses(count: number): string[] {
  return Array.from({ length: count }, () => `p${Math.floor(Math.random() * ADDRESSES)}@example.com`);
}

function post(instance: Instance, path: string, body: unknown): Promise<Response | undefined> {
  return tryTo(instance, path, { method: 'POST', body: JSON.stringify(body) });
}

/** Everything that writes to the list, in its usual proportions. A dry run of an import is rolled back. */
const WRITES: ((instance: Instance) => Promise<unknown>)[] = [
  (instance) => post(instance, '/suppressions/batch/add', { emails: addresses(50) }),
  (instance) => post(instance, '/suppressions/batch/remove', { emails: addresses(50) }),
  (instance) => post(instance, '/suppressions', { email: addresses(1)[0] }),
  (instance) => tryTo(instance, `/suppressions/${addresses(1)[0]}`, { method: 'DELETE' }),
  (instance) =>
    tryTo(instance, `/suppressions/${addresses(1)[0]}?cause=${pick(EVENT_TYPES)}`, { method: 'DELETE' }),
  (instance) =>
    post(
      instance,
      '/events',
      addresses(30).map((email) => ({ type: pick(EVENT_TYPES), email, status: '5.1.1' })),
    ),
  (instance) =>
    tryTo(instance, `/contacts/${addresses(1)[0]}/topics`, {
      method: 'PATCH',
      body: JSON.stringify([{ id: 'news', subscription: pick(['opt_in', 'opt_out']) }]),
    }),
];

/** Writes until it is told to stop. What an instance did not acknowledge may have happened all the same. */
export async function write(instances: Instance[], stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const result = await pick(WRITES)(pick(instances));
    await delay(result ? 0 : 50);
  }
}

/** Uploads files, every other one for a dry run. */
export async function importFiles(instances: Instance[], stop: AbortSignal): Promise<void> {
  for (let number = 0; !stop.aborted; number++) {
    await tryTo(pick(instances), `/imports?dry_run=${number % 2 === 0}`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain' },
      body: addresses(500).join('\n'),
    });
    await delay(500);
  }
}
