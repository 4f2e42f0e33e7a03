import { once } from 'node:events';
import fs from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open as openStore } from 'lmdb';
import { filterOf } from '../../src/pseudonyms/pseudonym.js';
import { AddressFilter } from '../../src/replica/address-filter.js';
import { retryDelay } from '../../src/replica/follower.js';
import { openReplica, type CheckOptions, type Progress, type Replica } from '../../src/replica/replica.js';
import { untilErased } from '../support/erasures.js';
import { startProxy } from '../support/servers/proxy.js';
import { importFile } from '../support/imports.js';
import { until } from '../support/until.js';
import { createKey, createWorld, suppress, type World } from '../support/world.js';

const PURPOSES: CheckOptions[] = [{}, { topic: 'news' }, { topic: 'offers' }, { transactional: true }];
const NO_SETTINGS = JSON.stringify({ data: [], has_more: false, rules_version: null });
const REFUSED_WAIT = JSON.stringify({
  code: 'validation_error',
  errors: [{ path: 'wait', message: 'is too long' }],
});
const EVENT_TYPES = ['bounce', 'unsubscribe', 'complaint'];

describe('a replica', () => {
  let world: World;
  let alice: string;
  let folder: string;
  const open: Replica[] = [];
  beforeAll(async () => (world = await createWorld()));
  beforeEach(async () => {
    alice = await createKey(world);
    folder = await mkdtemp(join(tmpdir(), 'replica-'));
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((replica) => replica.close()));
    await rm(folder, { recursive: true });
  });
  /** A request that is aborted while it connects leaves a connection that never sends a byte. */
  afterAll(async () => {
    world.app.getHttpServer().closeAllConnections();
    await world.close();
  });

  async function openOne(options: object = {}): Promise<Replica> {
    const replica = await openReplica({ url: world.url, apiKey: alice, path: folder, ...options });
    open.push(replica);
    return replica;
  }

  /** Sends requests on to the service, except those that fail. */
  async function forward(fails: (path: string) => boolean): Promise<{ url: string; server: Server }> {
    const server = createServer(async ({ url, headers: { authorization } }, response) => {
      if (fails(url!)) {
        response.writeHead(503).end();
        return;
      }
      const left = new AbortController();
      response.on('close', () => left.abort());
      const sent = { headers: { authorization: authorization! }, signal: left.signal };
      const answer = await fetch(world.url + url, sent).catch(() => undefined);
      if (!answer) {
        response.destroy();
        return;
      }
      response.setHeader('Changes-Cursor', answer.headers.get('changes-cursor') ?? '');
      response.writeHead(answer.status).end(await answer.text());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
  }

  async function close(replica: Replica): Promise<void> {
    open.splice(open.indexOf(replica), 1);
    await replica.close();
  }

  async function ask(emails: string[], purpose: CheckOptions): Promise<object[]> {
    const { body } = await world
      .as(alice)
      .post('/suppressions/check')
      .send({ emails, ...purpose })
      .expect(200);
    return body.data.map(({ suppression: _suppression, ...checked }: Record<string, unknown>) => checked);
  }

  const settle = async (replica: Replica, emails: string[], purposes = PURPOSES): Promise<void> => {
    for (const purpose of purposes) {
      const expected = await ask(emails, purpose);
      const isSame = () => JSON.stringify(replica.check(emails, purpose)) === JSON.stringify(expected);
      await until(isSame).catch(() => undefined);
      expect(replica.check(emails, purpose)).toEqual(expected);
    }
  };

  const createTopics = async (): Promise<void> => {
    await world.as(alice).post('/topics').send({ name: 'News', default_subscription: 'opt_in' }).expect(201);
    await world
      .as(alice)
      .post('/topics')
      .send({ name: 'Offers', default_subscription: 'opt_out' })
      .expect(201);
  };

  const choose = (email: string, id: string, subscription: string) =>
    world.as(alice).patch(`/contacts/${email}/topics`).send([{ id, subscription }]).expect(200);

  const report = (email: string, type: string) =>
    world.as(alice).post('/events').send({ type, email, status: '5.1.1' }).expect(200);

  const eraseWithBlock = async (email: string): Promise<string> => {
    const body = { keep_block: true, reference: 'Case 4711' };
    const send = async () => world.as(alice).post(`/contacts/${email}/erase`).send(body);
    return (await untilErased(world, send)).pseudonym;
  };

  it('keeps its files from other users of the machine, also in a folder that they may enter', async () => {
    const shared = join(folder, 'shared');
    await mkdir(shared, { mode: 0o755 });
    await openOne({ path: join(folder, 'deep', 'copy') });
    await openOne({ path: shared });
    const modeOf = async (...path: string[]) =>
      ((await stat(join(folder, ...path))).mode & 0o777).toString(8);
    expect(await modeOf('deep', 'copy')).toBe('700');
    expect(await modeOf('deep', 'copy', 'data.mdb')).toBe('600');
    expect(await modeOf('shared', 'data.mdb')).toBe('600');
  });

  it('forgets an erased address, and no longer has it in its files once it was opened again', async () => {
    const [ada, grace] = ['ada.lovelace@example.com', 'grace.hopper@example.com'];
    const others = Array.from({ length: 1_000 }, (_, number) => `reader-${number}@example.com`);
    await suppress(world, alice, [ada, grace]);
    for (let first = 0; first < others.length; first += 100) {
      await suppress(world, alice, others.slice(first, first + 100));
    }
    const first = await openOne();
    await first.caughtUp;
    const verdicts = (replica: Replica) => replica.check([ada, grace]).map(({ verdict }) => verdict);
    expect(verdicts(first)).toEqual(['suppressed', 'suppressed']);
    await until(async () => {
      const erasure = { keep_block: false, reference: 'Case 4711', accept_may_be_mailed_again: true };
      const { status } = await world.as(alice).post(`/contacts/${ada}/erase`).send(erasure);
      return status === 200;
    });
    await until(() => verdicts(first)[0] === 'send');
    await close(first);
    const second = await openOne();
    expect(verdicts(second)).toEqual(['send', 'suppressed']);
    const contents = async () => (await readFile(join(folder, 'data.mdb'))).toString('latin1');
    expect(await contents()).toContain('grace.hopper');
    expect(await contents()).not.toContain('lovelace');
    await suppress(world, alice, [ada]);
    await until(() => verdicts(second)[0] === 'suppressed');
  });

  it('recognizes an erased address whose block is kept, and has it in no file', async () => {
    const [ada, grace] = ['ada.lovelace@example.com', 'grace.hopper@example.com'];
    await createTopics();
    await suppress(world, alice, [ada, grace]);
    await choose(ada, 'news', 'opt_out');
    const first = await openOne();
    await first.caughtUp;
    const pseudonym = await eraseWithBlock(ada);
    const contents = async () => (await readFile(join(folder, 'data.mdb'))).toString('latin1');
    await suppress(world, alice, ['later@example.com']);
    await until(() => first.check(['later@example.com'])[0]!.verdict === 'suppressed');
    await until(async () => (await contents()).includes(pseudonym));
    // The state names the side of the copy in use, as MessagePack. The new copy is on the other side.
    await until(async () => (await contents()).includes('knownAt\xa1b'));
    await settle(first, [ada, grace, 'new@example.com']);
    expect(first.check([ada])[0]!.verdict).toBe('suppressed');
    await close(first);
    const second = await openOne();
    await settle(second, [ada, grace, 'new@example.com']);
    expect(await contents()).toContain('grace.hopper');
    expect(await contents()).not.toContain('lovelace');
    await close(second);
    await rm(folder, { recursive: true });
    const third = await openOne();
    await settle(third, [ada, grace, 'new@example.com']);
    await world.as(alice).delete(`/suppressions/${ada}`).expect(200);
    await settle(third, [ada, grace]);
    expect(third.check([ada])[0]!.verdict).toBe('send');
    expect(await contents()).not.toContain('lovelace');
  });

  it('has an address that only a rule had in no file after its erasure', async () => {
    const others = Array.from({ length: 200 }, (_, number) => `rule-${number}@example.com`);
    alice = await createKey(world, undefined, 'ruled');
    for (const pattern of ['ada.lovelace@example.com', ...others]) {
      await world.as(alice).post('/rules').send({ pattern, effect: 'block' }).expect(201);
    }
    const replica = await openOne();
    await replica.caughtUp;
    const verdictOf = (email: string) => replica.check([email])[0]!.verdict;
    expect(verdictOf('ada.lovelace@example.com')).toBe('suppressed');
    const erasure = { keep_block: false, reference: 'Case 4711', accept_may_be_mailed_again: true };
    await untilErased(world, async () =>
      world.as(alice).post('/contacts/ada.lovelace@example.com/erase').send(erasure),
    );
    await until(() => verdictOf('ada.lovelace@example.com') === 'send');
    await close(replica);
    await openOne();
    const contents = (await readFile(join(folder, 'data.mdb'))).toString('latin1');
    expect(contents).toContain('rule-17@');
    expect(contents).not.toContain('lovelace');
  });

  it('never says send to an address that it cannot recognize', async () => {
    const [ada, grace] = ['ada@example.com', 'grace@example.com'];
    alice = await createKey(world, undefined, 'limited');
    await suppress(world, alice, [ada, grace]);
    await eraseWithBlock(ada);
    const scopes = ['suppressions:read', 'changes:read', 'topics:read', 'rules:read'] as const;
    const replica = await openOne({ apiKey: await createKey(world, [...scopes], 'limited') });
    expect(replica.check([grace])[0]!.verdict).toBe('suppressed');
    for (const emails of [[ada], ['new@example.com'], [grace, 'new@example.com']]) {
      expect(() => replica.check(emails)).toThrow('pseudonyms:read');
    }
  });

  it('never says send to an address whose kept block may be a rule that it cannot recognize', async () => {
    const [ada, grace] = ['ada@example.com', 'grace@example.com'];
    alice = await createKey(world, undefined, 'blocked');
    await suppress(world, alice, [grace]);
    await world.as(alice).post('/rules').send({ pattern: ada, effect: 'block' }).expect(201);
    await eraseWithBlock(ada);
    const all = await openOne();
    expect(all.check([ada, 'new@example.com']).map(({ verdict }) => verdict)).toEqual(['suppressed', 'send']);
    await close(all);
    await rm(folder, { recursive: true });
    const scopes = ['suppressions:read', 'changes:read', 'topics:read', 'rules:read'] as const;
    const limited = await openOne({ apiKey: await createKey(world, [...scopes], 'blocked') });
    await limited.caughtUp;
    expect(limited.check([grace])[0]!.verdict).toBe('suppressed');
    for (const emails of [[ada], ['new@example.com'], [grace, 'new@example.com']]) {
      expect(() => limited.check(emails)).toThrow('pseudonyms:read');
    }
  });

  it('recognizes erased addresses by the key of the account whose list it reads', async () => {
    for (const account of ['first', 'second']) {
      alice = await createKey(world, undefined, account);
      await suppress(world, alice, ['ada@example.com']);
      await eraseWithBlock('ada@example.com');
      const replica = await openOne();
      expect([account, replica.check(['ada@example.com'])[0]!.verdict]).toEqual([account, 'suppressed']);
      await close(replica);
    }
  });

  it('gives the verdicts of the service, from its export and from its feed', async () => {
    await createTopics();
    const emails = Array.from({ length: 12 }, (_, index) => `P${index}@d${index % 3}.example.com`);
    await suppress(world, alice, emails.slice(0, 4));
    await report(emails[1]!, 'complaint');
    await report(emails[5]!, 'unsubscribe');
    await choose(emails[6]!, 'news', 'opt_out');
    await choose(emails[7]!, 'offers', 'opt_in');
    await world.as(alice).post('/rules').send({ pattern: '*.example.com', effect: 'block' }).expect(201);
    await world
      .as(alice)
      .post('/rules')
      .send({ pattern: 'd1.example.com', effect: 'allow', topic: 'news' })
      .expect(201);
    const replica = await openOne();
    const all = [...emails, 'new@example.org', 'not an address'];
    await settle(replica, all);

    await world.as(alice).delete(`/suppressions/${emails[0]}`).expect(200);
    await world.as(alice).delete(`/suppressions/${emails[1]}`).query({ cause: 'complaint' }).expect(200);
    for (const [index, type] of EVENT_TYPES.entries()) {
      await report(emails[8 + index]!, type);
    }
    await choose(emails[6]!, 'news', 'opt_in');
    await choose(emails[11]!, 'offers', 'opt_in');
    await settle(replica, all);
  });

  it('follows changes of rules, topics and settings', async () => {
    await suppress(world, alice, ['ada@example.com']);
    await report('eve@example.com', 'complaint');
    const replica = await openOne({ maxAge: 5 });
    expect(() => replica.check(['ada@example.com'], { topic: 'news' })).toThrow('knows no topic');
    await createTopics();
    const { body: news } = await world.as(alice).get('/topics/news').expect(200);
    await world.as(alice).post('/rules').send({ pattern: 'example.org', effect: 'block' }).expect(201);
    await world.as(alice).patch('/account').send({ complaint_reach: 'marketing' }).expect(200);
    await until(() => replica.check(['bob@example.org'])[0]!.verdict === 'suppressed');
    await settle(replica, ['ada@example.com', 'bob@example.org', 'eve@example.com']);
    expect(replica.check(['ada@example.com'], { topic: news.id.toUpperCase() })).toMatchObject([
      { verdict: 'suppressed' },
    ]);
    expect(() => replica.check(['ada@example.com'], { topic: 'NEWS' })).toThrow('knows no topic');
  });

  it('knows the opt-outs of a topic that was archived when the list was read, once it is restored', async () => {
    await createTopics();
    const { body: news } = await world.as(alice).get('/topics/news').expect(200);
    await choose('joan@example.com', news.id, 'opt_out');
    await world.as(alice).delete(`/topics/${news.id}`).expect(200);
    const replica = await openOne({ maxAge: 5 });
    expect(() => replica.check(['joan@example.com'], { topic: 'news' })).toThrow('topic');
    await world.as(alice).post(`/topics/${news.id}/restore`).expect(200);

    const firstAnswer = () => {
      try {
        return replica.check(['joan@example.com'], { topic: 'news' })[0];
      } catch {
        return undefined;
      }
    };
    await until(() => firstAnswer() !== undefined);
    expect(firstAnswer()).toMatchObject({ verdict: 'suppressed' });
  });

  it('answers from its copy while the service is unavailable, until the copy is too old', async () => {
    const proxy = await startProxy(world.url);
    await suppress(world, alice, ['ada@example.com']);
    const emails = ['ada@example.com', 'new@example.com'];
    const first = await openOne({ url: proxy.url });
    const expected = first.check(emails);
    expect(expected.map(({ verdict }) => verdict)).toEqual(['suppressed', 'send']);
    expect(first.age).toBeLessThan(60);
    await close(first);
    proxy.cut();
    const away = await openOne({ url: proxy.url });
    expect(away.check(emails)).toEqual(expected);
    await close(away);
    const impatient = await openOne({ url: proxy.url, maxAge: 5 });
    const { now } = Date;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 6_000);
    expect(() => impatient.check(emails)).toThrow(/last up to date \d+ seconds ago/);
    proxy.restore();
    await until(() => impatient.age < 5);
    expect(impatient.check(emails)).toEqual(expected);
    clock.mockRestore();
    await close(impatient);
    await proxy.close();
  });

  it('asks for what it has missed without waiting for more, when it is opened again and after a failure', async () => {
    let isReopened = false;
    const waits: (string | null)[] = [];
    const { url, server } = await forward((path) => {
      const { pathname, searchParams } = new URL(path, world.url);
      return pathname === '/changes' && waits.push(searchParams.get('wait')) === 1 && isReopened;
    });
    const first = await openOne({ url });
    await until(() => waits.includes('10'));
    await close(first);
    isReopened = true;
    waits.length = 0;
    const replica = await openOne({ url });
    await replica.caughtUp;
    await until(() => waits.length > 2);
    expect(waits.slice(0, 3)).toEqual(['0', '0', '10']);
    await close(replica);
    server.close();
  });

  it('knows preferences without a record when it is opened again', async () => {
    await createTopics();
    await choose('ada@example.com', 'news', 'opt_out');
    const proxy = await startProxy(world.url);
    await close(await openOne({ url: proxy.url }));
    proxy.cut();
    const replica = await openOne({ url: proxy.url });
    expect(replica.check(['ada@example.com'], { topic: 'news' })).toMatchObject([{ verdict: 'suppressed' }]);
    await close(replica);
    await proxy.close();
  });

  it('catches up with what happened while it was closed', async () => {
    await suppress(world, alice, ['ada@example.com']);
    await close(await openOne());
    const emails = Array.from({ length: 2_500 }, (_, index) => `p${index}@example.com`);
    await importFile(world, alice, emails.map((email) => `${email}\n`).join(''));
    await world.as(alice).delete('/suppressions/ada@example.com').expect(200);
    const replica = await openOne();
    await replica.caughtUp;
    const batch = ['ada@example.com', ...emails.slice(0, 900)];
    expect(replica.check(batch)).toEqual(await ask(batch, {}));
  });

  it('reads the list again if its position in the feed is gone', async () => {
    await suppress(world, alice, ['kept@example.com', 'lost@example.com']);
    const others = Array.from({ length: 1_000 }, (_, number) => `reader-${number}@example.com`);
    for (let first = 0; first < others.length; first += 100) {
      await suppress(world, alice, others.slice(first, first + 100));
    }
    await close(await openOne());
    const { body } = await world.as(alice).get('/changes').query({ from: 'now' });
    const account = Buffer.from(body.cursor, 'base64url').readUInt32BE(1);
    await world.database.query('DELETE FROM feed_pages WHERE account_id = $1', [account]);
    await world.database.query('UPDATE feed_heads SET last_position = 0 WHERE account_id = $1', [account]);
    await world.database.query(
      `DELETE FROM suppressions WHERE account_id = $1 AND email = 'lost@example.com'`,
      [account],
    );
    const replica = await openOne();
    await settle(replica, ['kept@example.com', 'lost@example.com'], [{}]);
    await close(replica);
    await openOne();
    const contents = (await readFile(join(folder, 'data.mdb'))).toString('latin1');
    expect([contents.includes('kept@'), contents.includes('lost@')]).toEqual([true, false]);
  });

  it('never answers from the list of another account', async () => {
    await suppress(world, alice, ['ada@example.com']);
    await close(await openOne());
    alice = await createKey(world);
    await settle(await openOne({ apiKey: alice }), ['ada@example.com'], [{}]);
  });

  it('keeps the settings of its account when the API key of another one could not be used', async () => {
    let isDown = false;
    const { url, server } = await forward((path) => isDown && path.startsWith('/changes'));
    const blocked = { pattern: 'example.org', effect: 'block' };
    await world.as(alice).post('/rules').send(blocked).expect(201);
    await close(await openOne({ url }));

    isDown = true;
    const other = await createKey(world);
    await expect(openOne({ url, apiKey: other })).rejects.toThrow();
    const replica = await openOne({ url });
    expect(replica.check(['eve@example.org'])).toMatchObject([{ verdict: 'suppressed' }]);
    await close(replica);
    server.close();
  });

  it('does not load the list again if the service refuses its requests for another reason than the cursor', async () => {
    const paths: string[] = [];
    const server = createServer(({ url }, response) => {
      const path = url!.split('?')[0]!;
      paths.push(path);
      response.setHeader('Changes-Cursor', 'cursor');
      response.statusCode = path === '/changes' ? 400 : 200;
      response.end(path === '/changes' ? REFUSED_WAIT : path === '/exports' ? '' : NO_SETTINGS);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const opening = openOne({ url: `http://127.0.0.1:${port}` });
    await expect(opening).rejects.toMatchObject({ name: 'ServiceRefusedError', fields: ['wait'] });
    server.close();
    expect(paths.filter((path) => path === '/exports')).toHaveLength(1);
  });

  it('says why it cannot start', async () => {
    await expect(openOne({ apiKey: 'sup_wrong' })).rejects.toMatchObject({ statusCode: 403 });
    await expect(openOne({ url: 'http://127.0.0.1:1' })).rejects.toThrow(
      'The service at http://127.0.0.1:1 cannot be reached.',
    );
    await expect(openOne({ apiKey: '' })).rejects.toThrow('The option apiKey is missing.');
    await expect(openOne({ maxAge: 1 })).rejects.toThrow('at least 5');
    await expect(openOne({ maxage: 300 } as object)).rejects.toThrow('There is no option maxage.');
  });

  it('has exclusive use of its folder until it is closed', async () => {
    const replica = await openOne();
    await expect(openOne()).rejects.toMatchObject({
      name: 'ReplicaInUseError',
      message: `Another replica uses ${folder}. Close it first, or give each replica a folder of its own.`,
    });
    await close(replica);
    await openOne();
    await expect(openOne({ path: join(folder, 'x'.repeat(100)) })).rejects.toThrow('must have at most');
  });

  it('says that its folder cannot be used, and what to do', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    for (const path of [file, join(file, 'copy'), '/proc/copy', '/proc/copies/copy']) {
      await expect(openOne({ path })).rejects.toThrow(
        new RegExp(
          `^The folder ${path} cannot be used for a copy \\(E.*\\). Name a folder that this user may write to.$`,
        ),
      );
    }
  });

  it.each<[string, () => object]>([
    ['has no space for a copy', () => ({ blocks: 2, bavail: 1, bsize: 4_096 })],
    [
      'refuses a write of lmdb',
      () => {
        throw new Error('Input/output error');
      },
    ],
  ])('says that its disk %s, and what to do', async (_what, statfs) => {
    const full = jest.spyOn(fs, 'statfsSync').mockImplementation(statfs as never);
    await expect(openOne()).rejects.toMatchObject({
      name: 'DiskFullError',
      message: expect.stringMatching(/is full, or fails\. Free space/),
    });
    full.mockRestore();
    await openOne();
  });

  it('has a copy on a file system without a fixed size, where no space is said to be free', async () => {
    const unlimited = jest
      .spyOn(fs, 'statfsSync')
      .mockReturnValue({ blocks: 0, bavail: 0, bsize: 4_096 } as never);
    await openOne();
    unlimited.mockRestore();
  });

  it('refuses a copy that has lost rows, instead of taking its addresses for unlisted ones', async () => {
    await suppress(world, alice, ['ada@example.com', 'bob@example.com', 'cy@example.com']);
    await close(await openOne());
    const file = join(folder, 'data.mdb');
    await writeFile(file, withoutLastRowOfPages(await readFile(file), 'bob@example.com'));
    await expect(openOne()).rejects.toMatchObject({ name: 'DamagedCopyError' });
    const root = openStore({ path: folder, maxDbs: 4, noSubdir: false });
    await root.put('has-erased', true);
    await root.close();
    await expect(openOne()).rejects.toMatchObject({ name: 'DamagedCopyError' });
    await rm(folder, { recursive: true });
    const [checked] = (await openOne()).check(['cy@example.com']);
    expect(checked).toMatchObject({ verdict: 'suppressed' });
  });

  it('throws after it was closed, and for a string instead of an array', async () => {
    const replica = await openOne();
    expect(() => replica.check('ada@example.com' as unknown as string[])).toThrow('must be an array');
    await close(replica);
    expect(() => replica.check(['ada@example.com'])).toThrow('The replica is closed.');
  });

  it('refuses options without which it would allow more mail', async () => {
    const replica = await openOne();
    const check = (options: unknown) => () => replica.check(['ada@example.com'], options as CheckOptions);
    expect(check({ topics: 'news' })).toThrow(
      'The options are topic and transactional. There is no option topics.',
    );
    expect(check('news')).toThrow('The options must be an object');
    expect(check({ transactional: 'false' })).toThrow('transactional must be true or false');
  });

  it('leaves its folder to the next one if it fails while it reads its copy', async () => {
    await suppress(world, alice, ['ada@example.com']);
    await close(await openOne());
    const onProgress = () => {
      throw new Error('The copy cannot be read.');
    };
    await expect(openOne({ onProgress })).rejects.toThrow('cannot be read');
    await openOne();
  });

  it('gives up its first copy if its signal is aborted, and leaves its folder to the next one', async () => {
    await suppress(world, alice, ['ada@example.com']);
    const opening = new AbortController();
    const onProgress = () => opening.abort('stopped');
    await expect(openOne({ signal: opening.signal, onProgress })).rejects.toBe('stopped');
    await expect(openOne({ signal: opening.signal })).rejects.toBe('stopped');
    const later = new AbortController();
    const replica = await openOne({ signal: later.signal });
    later.abort();
    expect(replica.check(['ada@example.com'])).toMatchObject([{ verdict: 'suppressed' }]);
  });

  it('says how far it is while it reads the list', async () => {
    await suppress(world, alice, ['ada@example.com', 'bob@example.com']);
    const progress: Progress[] = [];
    const onProgress = (one: Progress) => progress.push(one);
    await close(await openOne({ onProgress }));
    await close(await openOne({ onProgress }));
    expect(progress).toEqual([
      { step: 'downloading', rows: 2 },
      { step: 'indexing', rows: 2 },
    ]);
  });

  it('asks less often the longer the service is unavailable', () => {
    const delays = [0, 1, 2, 10].map((failures) => retryDelay(failures, 10_000));
    [1_000, 2_000, 4_000, 10_000].forEach((most, index) => {
      expect(delays[index]).toBeGreaterThanOrEqual(most / 2);
      expect(delays[index]).toBeLessThanOrEqual(most);
    });
  });

  it('lets a cause expire', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    await world
      .as(alice)
      .post('/suppressions')
      .send({ email: 'ada@example.com', expires_at: expiresAt })
      .expect(201);
    const replica = await openOne();
    expect(replica.check(['ada@example.com'])).toMatchObject([{ verdict: 'suppressed' }]);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.parse(expiresAt));
    const [later] = replica.check(['ada@example.com']);
    clock.mockRestore();
    expect(later).toMatchObject({ verdict: 'send' });
  });
});

/** Damages the pages of an LMDB file that have a key: each of them has a table of its rows, whose size is in the header. */
function withoutLastRowOfPages(file: Buffer, key: string): Buffer {
  for (let start = 0; start < file.length; start += 4_096) {
    if (file.subarray(start, start + 4_096).includes(key)) {
      file.writeUInt16LE(file.readUInt16LE(start + 20) - 2, start + 20);
    }
  }
  return file;
}

it('keeps every address while its filter grows, and still rules out others', () => {
  const filter = new AddressFilter();
  const listed = Array.from({ length: 200_000 }, (_, index) => `person${index}@example.com`);
  const others = listed.map((email) => `x${email}`);
  expect(listed.slice(0, 1_000).some((email) => filter.mayHave(filterOf(email)))).toBe(false);
  listed.forEach((email) => filter.add(email));
  expect(listed.every((email) => filter.mayHave(filterOf(email)))).toBe(true);
  expect(others.filter((email) => filter.mayHave(filterOf(email))).length).toBeLessThan(200);
});
