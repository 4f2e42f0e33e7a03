import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import fsPromises, { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pseudonymOf } from '../../src/pseudonyms/pseudonym.js';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { Follower } from '../../src/replica/follower.js';
import { Replica } from '../../src/replica/replica.js';
import { ReplicaStore } from '../../src/replica/replica-store.js';
import type { Change, ChangesPage, ServiceClient } from '../../src/replica/service-client.js';
import type { Settings } from '../../src/replica/stored-copy.js';
import { until } from '../support/until.js';

const SETTINGS: Settings = {
  complaintReach: 'all',
  topics: [],
  rules: [],
  rulesVersion: null,
  keptBlocksVersion: null,
  pseudonymKey: null,
  blockFilters: null,
};
const RULE = {
  id: 'rule',
  pattern: 'example.org',
  effect: 'block',
  topic: null,
  expires_at: null,
} as unknown as Settings['rules'][number];
const ERASED = 'erased-aaaaaaaaaaaaaaaaaaaaaaaaaa@erased.invalid';

const changeOf = (type: string, email: string, isListed: boolean): Change => ({
  type,
  email,
  suppression: isListed ? { id: randomUUID() } : null,
  causes: isListed ? ['complaint'] : [],
  expires_at: null,
  topic: null,
});

/** A service with a list, a feed, and settings, whose exports can be held back. */
class FakeService {
  list: string[] = [];
  feed: Change[] = [];
  settings = SETTINGS;
  exports = 0;
  changesPerPage = 1_000;
  beforeRows = async (): Promise<void> => undefined;

  add(email: string): void {
    this.list.push(email);
    this.feed.push(changeOf('suppression.added', email, true));
  }

  erase(email: string): void {
    this.list = this.list.filter((listed) => listed !== email);
    this.feed.push(changeOf('contact.erased', ERASED, false));
  }

  async exportRecords() {
    this.exports++;
    return { cursor: String(this.feed.length), rows: this.rows(), cancel: async () => undefined };
  }

  async readSettings(): Promise<Settings> {
    return { ...this.settings };
  }

  async readChanges(after: string, waitSeconds: number): Promise<ChangesPage> {
    await nextTurn();
    if (waitSeconds > 0) {
      await until(() => this.feed.length > Number(after), 200).catch(() => undefined);
    }
    const end = Math.min(this.feed.length, Number(after) + this.changesPerPage);
    const data = this.feed.slice(Number(after), end);
    return { data, cursor: String(end), has_more: end < this.feed.length };
  }

  private async *rows() {
    await this.beforeRows();
    for (const email of this.list) {
      yield { id: randomUUID(), email, causes: ['complaint' as const], expires_at: null };
    }
  }
}

describe('a copy that follows the feed', () => {
  let folder: string;
  let service: FakeService;
  let replica: Replica;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'follower-'));
    service = new FakeService();
    service.add('ada@example.com');
    service.add('grace@example.com');
  });
  afterEach(async () => {
    await replica.close();
    await rm(folder, { recursive: true });
  });

  async function open(): Promise<void> {
    const stopping = new AbortController();
    const store = await ReplicaStore.open(folder);
    const follower = new Follower(store, 'owner', service as unknown as ServiceClient, 1, stopping.signal);
    await follower.start();
    replica = new Replica(store, follower, stopping, Infinity);
    await replica.caughtUp;
  }

  const verdictOf = (email: string) => replica.check([email])[0]!.verdict;

  /** Erases an address, and holds back the rows of the download that follows. Returns what lets them pass. */
  async function eraseAndHoldDownload(email: string): Promise<() => void> {
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    service.beforeRows = () => held;
    const { exports } = service;
    service.erase(email);
    await until(() => service.exports > exports);
    return release;
  }

  it('goes on while it is downloaded again after an erasure', async () => {
    await open();
    service.changesPerPage = 2;
    const release = await eraseAndHoldDownload('ada@example.com');
    service.add('linus@example.com');
    await until(() => verdictOf('linus@example.com') === 'suppressed');
    expect(verdictOf('ada@example.com')).toBe('suppressed');
    expect(verdictOf('grace@example.com')).toBe('suppressed');
    release();
    await until(() => {
      expect(verdictOf('linus@example.com')).toBe('suppressed');
      return verdictOf('ada@example.com') === 'send';
    });
    expect(verdictOf('grace@example.com')).toBe('suppressed');
  });

  it('has the changes on the page of an erasure', async () => {
    await open();
    service.erase('ada@example.com');
    let release!: () => void;
    service.beforeRows = () => new Promise((resolve) => (release = resolve));
    service.add('linus@example.com');
    await until(() => verdictOf('linus@example.com') === 'suppressed');
    await until(() => service.exports === 2);
    release();
  });

  it('is downloaded again if the process ended during the download', async () => {
    await open();
    let abort!: (problem: Error) => void;
    const aborted = new Promise<void>((_resolve, reject) => (abort = reject));
    service.beforeRows = () => aborted;
    service.erase('ada@example.com');
    await until(() => service.exports === 2);
    const closed = replica.close();
    abort(new TypeError('The replica is closed.'));
    await closed;
    service.beforeRows = async () => undefined;
    await open();
    await until(() => verdictOf('ada@example.com') === 'send');
    expect(service.exports).toBe(3);
  });

  it('is downloaded again after a download that failed', async () => {
    await open();
    service.beforeRows = async () => {
      service.beforeRows = async () => undefined;
      throw new TypeError('The export of the service was cut off.');
    };
    service.erase('ada@example.com');
    await until(() => verdictOf('ada@example.com') === 'send');
    expect(service.exports).toBe(3);
  });

  it('knows the pseudonym of a block that is kept for the first time during a download', async () => {
    const key = randomBytes(32).toString('base64');
    const pseudonym = pseudonymOf(createSecretKey(key, 'base64'), 'ada@example.com' as EmailAddress);
    await open();
    const release = await eraseAndHoldDownload('grace@example.com');
    service.list = [pseudonym];
    service.settings = { ...SETTINGS, keptBlocksVersion: 'v1', pseudonymKey: key, blockFilters: {} };
    release();
    await until(() => verdictOf('grace@example.com') === 'send');
    expect(verdictOf('ada@example.com')).toBe('suppressed');
  });

  it('does not wait for the time it knows if the clock was set back', async () => {
    const { now } = Date;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
    await open();
    clock.mockRestore();
    expect(replica.age).toBe(Infinity);
    service.settings = { ...SETTINGS, rules: [RULE], rulesVersion: 'v1' };
    await until(() => verdictOf('new@example.org') === 'suppressed');
    await until(() => replica.age < 5);
  });

  it('gets the rules while the feed has more changes', async () => {
    await open();
    service.changesPerPage = 1;
    const read = service.readChanges.bind(service);
    service.readChanges = async (...parameters) => {
      service.add(`${randomUUID()}@example.com`);
      return { ...(await read(...parameters)), has_more: true };
    };
    service.settings = { ...SETTINGS, rules: [RULE], rulesVersion: 'v1' };
    await until(() => verdictOf('new@example.org') === 'suppressed');
  });
});

describe('a store that is opened after an erasure', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'store-'));
    const version = { owner: 'owner', cursor: '0', knownAt: 0 };
    const rowsOf = async function* (...emails: string[]) {
      for (const email of emails) {
        yield { id: randomUUID(), email, causes: ['complaint' as const], expires_at: null };
      }
    };
    const none = async function* () {};
    const store = await ReplicaStore.open(folder);
    store.use({
      ...(await store.download(version, rowsOf('grace.hopper@example.com'), none())),
      settings: SETTINGS,
    });
    await store.download(version, rowsOf('ada.lovelace@example.com'), none());
    store.markErased();
    await store.close();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await rm(folder, { recursive: true });
  });

  const contents = async () => (await readFile(join(folder, 'data.mdb'))).toString('latin1');

  it('keeps nothing of a copy that was not completed', async () => {
    await (await ReplicaStore.open(folder)).close();
    expect(await contents()).toContain('grace.hopper');
    expect(await contents()).not.toContain('lovelace');
  });

  it.each<[string, () => unknown]>([
    [
      'before it writes',
      () => jest.spyOn(fs, 'statfsSync').mockReturnValueOnce({ blocks: 2, bavail: 1, bsize: 4_096 } as never),
    ],
    [
      'while it writes',
      () =>
        jest.spyOn(fs, 'mkdirSync').mockImplementation((path) => {
          if (String(path).endsWith('rewritten')) {
            throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
          }
          return undefined;
        }),
    ],
    ['while it renames', () => jest.spyOn(fsPromises, 'rename').mockRejectedValueOnce(new Error('ENOSPC'))],
  ])('keeps its former copy if the disk is full %s, and warns until it succeeds', async (_when, fill) => {
    const warn = jest.spyOn(process, 'emitWarning').mockReturnValue();
    fill();
    const store = await ReplicaStore.open(folder);
    expect(store.record('grace.hopper@example.com')).toBeDefined();
    await store.close();
    expect(warn).toHaveBeenCalledWith(
      expect.stringMatching(/cannot be rewritten: (The disk with the copy is full.*|ENOSPC)$/),
    );
    expect(await contents()).toContain('lovelace');
    jest.restoreAllMocks();
    await (await ReplicaStore.open(folder)).close();
    expect(await contents()).not.toContain('lovelace');
    expect(fs.readdirSync(folder)).not.toContain('rewritten');
  });
});
