import { runEverywhere } from '../../../src/database/citus/everywhere.js';
import type { SpreadPool } from '../../../src/database/citus/spread-pool.js';
import type { Statement } from '../../../src/database/citus/statements.js';
import type { Bucket } from '../../../src/database/citus/topology.js';

type Row = Record<string, string>;

/** Two nodes with a part of the accounts each. The second one answers its first question when it is told to. */
function createPool() {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const asked: number[] = [];
  const buckets = [1, 2].map((groupId, index) => ({
    index,
    node: { groupId, host: 'worker', port: groupId },
  }));
  const runIn = async (bucketOf: () => Bucket): Promise<{ rows: Row[] }> => {
    const { groupId } = bucketOf().node;
    asked.push(groupId);
    if (groupId === 2) {
      await answered;
    }
    return { rows: [{ node: String(groupId) }] };
  };
  return { pool: { topology: { buckets }, runIn } as unknown as SpreadPool, asked, answer };
}

function run(pool: SpreadPool, name: string, values: unknown[] = []): Promise<Row[]> {
  const statement: Statement = { name, text: 'SELECT', values };
  return runEverywhere(pool, statement, { to: 'all', isBackground: true }).then(({ rows }) => rows as Row[]);
}

const nodesOf = (rows: Row[]) => rows.map(({ node }) => node).toSorted();

describe('a statement about all accounts', () => {
  it('leaves out a slow node if it is a question of a background task, and adds its answer later', async () => {
    const { pool, asked, answer } = createPool();
    expect(nodesOf(await run(pool, 'find-due-provider-lists'))).toEqual(['1']);
    answer();
    expect(nodesOf(await run(pool, 'find-due-provider-lists'))).toEqual(['1', '2']);
    expect(asked.filter((node) => node === 2)).toHaveLength(1);
  });

  it('gives all rows to two callers that ask the same at the same time', async () => {
    const { pool, answer } = createPool();
    const both = Promise.all([run(pool, 'find-due-provider-lists'), run(pool, 'find-due-provider-lists')]);
    answer();
    for (const rows of await both) {
      expect(nodesOf(rows)).toEqual(['1', '2']);
    }
  });

  it.each([
    ['claims, since nobody would do what a late claim has taken', 'claim-provider-lists', [8, 8]],
    ['has parameters, whose answer is not the one to other parameters', 'find-waiting-job', [[1]]],
  ])('waits for a slow node if it %s', async (_why, name, values) => {
    const { pool, answer } = createPool();
    let hasEnded = false;
    const rows = run(pool, name, values).finally(() => (hasEnded = true));
    await run(pool, 'find-due-provider-lists');
    expect(hasEnded).toBe(false);
    answer();
    await rows;
  });
});
