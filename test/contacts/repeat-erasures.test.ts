import { runClient } from '../../src/cli/client/run.js';
import { ErasureSweep } from '../../src/contacts/erasure/erasure-sweep.js';
import { StoredNames } from '../../src/pseudonyms/stored-names.js';
import { runCommand } from '../support/command-line.js';
import { ADA, dump, letInstancesLearn, tracesIn, untilErased } from '../support/erasures.js';
import { until } from '../support/until.js';
import { createWorld, suppress, withNewAccounts, type World } from '../support/world.js';

const BOB = 'bob@example.com';

let service: World;
let world: World;
beforeAll(async () => (service = await createWorld()));
beforeEach(async () => (world = await withNewAccounts(service)));
afterAll(() => service.close());

const erase = (email: string, body: object) =>
  untilErased(world, async () =>
    world
      .as(world.alice)
      .post(`/contacts/${encodeURIComponent(email)}/erase`)
      .send({ accept_may_be_mailed_again: true, ...body }),
  );
const verdicts = async (): Promise<string[]> => {
  const { body } = await world
    .as(world.alice)
    .post('/suppressions/check')
    .send({ emails: [ADA, BOB] })
    .expect(200);
  return body.data.map(({ verdict }: { verdict: string }) => verdict);
};
/** As if the database were restored from a backup that is older than the first erasure of the account. */
const restore = async () => {
  for (const table of ['erasures', 'erasure_keys', 'kept_blocks', 'suppressions', 'delivery_events']) {
    await world.database.query(`DELETE FROM ${table} WHERE account_id = $1`, [world.acme.id]);
  }
  await world.database.query('UPDATE accounts SET kept_blocks_version = NULL WHERE id = $1', [world.acme.id]);
  world.app.get(StoredNames).forget(world.acme.id);
  await suppress(world, world.alice, [ADA, BOB]);
};
/** A receipt of an erasure that began after everything that the backup has. */
const later = <Receipt extends object>(receipt: Receipt, minutes = 60): Receipt => ({
  ...receipt,
  created_at: new Date(Date.now() + minutes * 60_000).toISOString(),
});
const repeat = (receipts: object[], more: object = {}) =>
  world
    .as(world.alice)
    .post('/erasures/repeat')
    .send({ receipts, ...more });
const sweep = async () => {
  await letInstancesLearn(world);
  await world.app.get(ErasureSweep).run();
};
/** Meanwhile, erasures continue without the pauses between two sweeps. */
const runFrom = async (name: string, content: string, ...args: string[]) => {
  const settings = { SUPPRESSIONS_URL: world.url, SUPPRESSIONS_API_KEY: world.alice };
  const command = ['person', 'erase', '--from', name, '--yes', ...args];
  const sweeping = setInterval(() => void sweep().catch(() => undefined), 100);
  try {
    return await runCommand(command, settings, '/', content, { program: runClient });
  } finally {
    clearInterval(sweeping);
    await sweep();
  }
};
const run = (content: string, ...args: string[]) => runFrom('-', content, ...args);

describe('POST /erasures/repeat', () => {
  it('erases again what a restored backup has, as the receipts say', async () => {
    await suppress(world, world.alice, [ADA, BOB]);
    const kept = await erase(ADA, { keep_block: true, reference: 'Case 1' });
    const gone = later(await erase(BOB, { keep_block: false, reference: 'Case 2' }));
    expect(JSON.stringify([kept, gone])).not.toMatch(/lovelace|bob@/);
    await restore();
    expect(tracesIn(await dump(world))).not.toEqual([]);
    const { body } = await repeat([kept, gone]).expect(200);
    expect(body).toEqual({
      object: 'repeated_erasures',
      found: expect.arrayContaining([kept.pseudonym, gone.pseudonym]),
      reported_since: [],
      next: null,
    });
    await until(async () => {
      await sweep();
      return (await repeat([kept, gone]).expect(200)).body.found.length === 0;
    });
    expect(tracesIn(await dump(world))).toEqual([]);
    expect(await verdicts()).toEqual(['suppressed', 'send']);
    const { body: list } = await world.as(world.alice).get('/suppressions').expect(200);
    expect(list.data).toMatchObject([{ email: kept.pseudonym }]);
  });

  it('erases a block completely that a restored backup still keeps', async () => {
    await suppress(world, world.alice, [ADA, BOB]);
    const kept = await erase(ADA, { keep_block: true, reference: 'Case 1' });
    const other = await erase(BOB, { keep_block: true, reference: 'Case 2' });
    const gone = later({ ...kept, keep_block: false, reference: 'Case 3' });
    const receipts = [kept, other, gone];
    expect((await repeat(receipts).expect(200)).body.found).toEqual([kept.pseudonym]);
    await until(async () => {
      await sweep();
      return (await repeat(receipts).expect(200)).body.found.length === 0;
    });
    expect(await verdicts()).toEqual(['send', 'suppressed']);
    const left = [...(await dump(world))].filter(([, text]) => text.includes(kept.pseudonym));
    expect(left.map(([table]) => table)).toEqual(['erasures']);
  });

  it('refuses what is no receipt, an unknown cursor, and keys that it cannot read', async () => {
    await suppress(world, world.alice, [ADA]);
    const receipt = await erase(ADA, { keep_block: true, reference: 'Case 1' });
    for (const [receipts, more, path] of [
      [[], {}, 'receipts'],
      [[{ ...receipt, key: undefined }], {}, 'receipts'],
      [[{ ...receipt, pseudonym: BOB }], {}, 'receipts'],
      [[receipt], { after: 'x' }, 'after'],
    ] as const) {
      const { body } = await repeat([...receipts], more).expect(400);
      expect(body.errors[0].path).toBe(path);
    }
    await restore();
    const refused = await repeat([{ ...receipt, key: 'AAAA' }]).expect(503);
    expect(refused.body.code).toBe('kept_blocks_unreadable');
    const other = { ...receipt, pseudonym: `erased-${'a'.repeat(26)}@erased.invalid` };
    expect((await repeat([other]).expect(200)).body.found).toEqual([]);
  });
});

describe('suppressions person erase --from', () => {
  it('repeats the erasures of a file, and waits for them', async () => {
    await suppress(world, world.alice, [ADA, BOB]);
    const gone = later(await erase(BOB, { keep_block: false, reference: 'Case 2' }));
    await restore();
    expect(await run('{"pseudonym": "x"}\n')).toMatchObject({ code: 2 });
    expect(await run('', '--keep-block')).toMatchObject({ code: 2 });
    expect(await runFrom('missing.ndjson', '')).toMatchObject({
      code: 1,
      problems: ['missing.ndjson cannot be read: it does not exist. Nothing was erased.'],
    });
    const { code, stdout } = await run(`${JSON.stringify(gone)}\n`);
    expect([code, stdout]).toEqual([0, 'Erased 1 address again, of 1 receipts.\n']);
    expect(await verdicts()).toEqual(['suppressed', 'send']);
  });

  it('repeats only the latest erasure of an address, however long the file is', async () => {
    await suppress(world, world.alice, [ADA, BOB]);
    const gone = later(await erase(BOB, { keep_block: false, reference: 'Case 2' }));
    await restore();
    const others = Array.from({ length: 500 }, (_, index) => ({
      ...gone,
      pseudonym: `erased-${'a'.repeat(20)}${String(index)
        .padStart(6, '0')
        .replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)]!)}@erased.invalid`,
    }));
    const file = [gone, ...others, later({ ...gone, keep_block: true }, 30)].map((receipt) =>
      JSON.stringify(receipt),
    );
    expect(await run(`${file.join('\n')}\n`)).toMatchObject({ code: 0 });
    const kinds = await world.database.query('SELECT keep_block FROM erasures WHERE account_id = $1', [
      world.acme.id,
    ]);
    expect(kinds).toEqual([{ keep_block: false }]);
  });

  it('leaves what was reported after the erasure, and says so', async () => {
    await suppress(world, world.alice, [ADA, BOB]);
    const gone = await erase(BOB, { keep_block: false, reference: 'Case 2' });
    await restore();
    const { code, stdout } = await run(`${JSON.stringify(gone)}\n`);
    expect([code, stdout]).toEqual([
      0,
      `Not erased, because it was suppressed or opted out after the erasure: ${gone.pseudonym} (Case 2)\n` +
        'Erased 0 addresses again, of 1 receipts.\n',
    ]);
    expect(await verdicts()).toEqual(['suppressed', 'suppressed']);
  });

  it('reads the keys of earlier receipts by the key of the newest one', async () => {
    await suppress(world, world.alice, [ADA, BOB]);
    const kept = await erase(ADA, { keep_block: true, reference: 'Case 1' });
    const newest = later(await erase(BOB, { keep_block: true, reference: 'Case 2' }));
    await restore();
    const letter = (digit: string) => 'abcdefghij'[Number(digit)]!;
    const others = Array.from({ length: 500 }, (_, index) => ({
      ...kept,
      key: 'AAAA',
      pseudonym: `erased-${'a'.repeat(20)}${String(index).padStart(6, '0').replaceAll(/\d/g, letter)}@erased.invalid`,
    }));
    const file = [...others, newest].map((receipt) => JSON.stringify(receipt));
    expect((await run(`${file.join('\n')}\n`)).stdout).toContain('Erased 1 address again');
  });
});
