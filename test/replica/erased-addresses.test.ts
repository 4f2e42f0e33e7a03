import { createSecretKey } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { filterOf, maskedFilter, pseudonymOf } from '../../src/pseudonyms/pseudonym.js';
import { ErasedAddresses } from '../../src/replica/settings-index.js';
import { ReplicaStore } from '../../src/replica/replica-store.js';
import type { Settings } from '../../src/replica/stored-copy.js';

const KEY = 'q83vEjRWeJCrze8SNFZ4kA==';
const key = createSecretKey(KEY, 'base64');
const nameOf = (email: string) => pseudonymOf(key, email);
const [ada, bob, eve] = ['ada@example.com', 'bob@example.com', 'eve@example.com'] as EmailAddress[] as [
  EmailAddress,
  EmailAddress,
  EmailAddress,
];

const TOPIC_ID = '00000000-0000-7000-8000-000000000000';

async function* rows<Row>(...all: Row[]): AsyncGenerator<Row> {
  yield* all;
}

/** Which of three addresses may have been erased, if the service has sent the filters of some. */
function recognized(filtered: EmailAddress[] | null, stored: EmailAddress[], patterns: EmailAddress[] = []) {
  const blockFilters =
    filtered &&
    Object.fromEntries(
      filtered.map((email) => [nameOf(email), maskedFilter(key, nameOf(email), filterOf(email))]),
    );
  const rules = patterns.map((pattern) => ({ pattern: nameOf(pattern) }));
  const erased = new ErasedAddresses(KEY, { blockFilters, rules } as unknown as Settings);
  const names = new Set(stored.map(nameOf));
  return [ada, bob, eve].filter(
    (email) => erased.pseudonymOf(email, filterOf(email), names) === nameOf(email),
  );
}

describe('the pseudonym of an address in a replica', () => {
  it('is computed only for the addresses of kept blocks, as far as their filters are known', () => {
    expect(recognized([ada], [ada])).toEqual([ada]);
    expect(recognized([ada, bob], [ada])).toEqual([ada, bob]);
  });

  it('is computed for every address if a record, a choice, or a rule is newer than the filters', () => {
    expect(recognized([ada], [ada, bob])).toEqual([ada, bob, eve]);
    expect(recognized([ada], [ada], [bob])).toEqual([ada, bob, eve]);
  });

  it('is computed for every address if the service sent no filters', () => {
    expect(recognized(null, [ada])).toEqual([ada, bob, eve]);
  });

  it('is computed for every address from the moment that a change brings a pseudonym without a filter', () => {
    const blockFilters = { [nameOf(ada)]: maskedFilter(key, nameOf(ada), filterOf(ada)) };
    const erased = new ErasedAddresses(KEY, { blockFilters, rules: [] } as unknown as Settings);
    const stored = new Set([nameOf(ada)]);
    expect(erased.pseudonymOf(bob, filterOf(bob), stored)).toBeUndefined();
    stored.add(nameOf(bob));
    expect(erased.pseudonymOf(bob, filterOf(bob), stored)).toBe(nameOf(bob));
  });

  it('is no longer computed for every address once a change has removed the pseudonym without a filter', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'replica-'));
    const store = await ReplicaStore.open(folder);
    const topic = { id: TOPIC_ID, subscription: 'opt_out' as const };
    const blockFilters = { [nameOf(bob)]: maskedFilter(key, nameOf(bob), filterOf(bob)) };
    const settings = { blockFilters, rules: [], topics: [topic] } as unknown as Settings;
    const version = { owner: '', cursor: '', knownAt: 0 };
    const record = { id: '1', email: nameOf(ada), causes: [], expires_at: null };
    const change = { type: '', suppression: null, causes: [], expires_at: null };
    store.use({ ...(await store.download(version, rows(record), rows())), settings });
    store.apply([{ ...change, email: nameOf(bob), topic }], version);
    const erased = new ErasedAddresses(KEY, settings);
    const pseudonymOfEve = () => erased.pseudonymOf(eve, filterOf(eve), store.filter.pseudonyms);
    expect(pseudonymOfEve()).toBe(nameOf(eve));
    store.apply(
      [ada, bob].map((email) => ({ ...change, email: nameOf(email), topic: null })),
      version,
    );
    expect(pseudonymOfEve()).toBeUndefined();
    expect([...store.filter.pseudonyms]).toEqual([nameOf(bob)]);
    await store.close();
    await rm(folder, { recursive: true });
  });
});
