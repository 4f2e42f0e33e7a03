import type { BucketConnections, Statement } from '../../../src/database/citus/bucket-connections.js';
import { Everywhere } from '../../../src/database/citus/everywhere.js';
import type { Bucket } from '../../../src/database/citus/topology.js';

type Row = Record<string, string>;

/** Two nodes with a part of the accounts each. Slow ones answer their first questions when they are told to. */
function createNodes(slow = [2]) {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const asked: number[] = [];
  const buckets = [1, 2].map((groupId, index) => ({
    index,
    node: { groupId, host: 'worker', port: groupId },
  }));
  const answerOf = async (bucketOf: () => Bucket): Promise<{ rows: Row[] }> => {
    const { groupId } = bucketOf().node;
    asked.push(groupId);
    if (slow.includes(groupId)) {
      await answered;
    }
    return { rows: [{ node: String(groupId) }] };
  };
  const connections = { topology: { buckets }, run: answerOf } as unknown as BucketConnections;
  return { everywhere: new Everywhere(connections), asked, answer };
}

/** A node with parts of the accounts, each of which has rows to claim. */
function createNodeOf(parts: number, rowsOfEach: number) {
  const asked: number[][] = [];
  const answer = (some: readonly Bucket[], { values }: Statement) => {
    asked.push(some.map(({ index }) => index));
    const length = Math.min(rowsOfEach, Number(values![1]));
    return some.flatMap(({ index }) => Array.from({ length }, () => ({ bucket: index, row: {} })));
  };
  const connections = {
    topology: { buckets: Array.from({ length: parts }, (_, index) => ({ index, node: { groupId: 1 } })) },
    runInAll: async (some: readonly Bucket[], statement: Statement) => answer(some, statement),
    run: async (bucketOf: () => Bucket, statement: Statement) => ({ rows: answer([bucketOf()], statement) }),
  };
  return { everywhere: new Everywhere(connections as unknown as BucketConnections), asked };
}

async function run(everywhere: Everywhere, name: string, values: unknown[] = []): Promise<string[]> {
  const statement: Statement = { name, text: 'SELECT LIMIT $2', values };
  const { rows } = await everywhere.run(statement, { to: 'all', isBackground: true });
  return (rows as Row[]).map(({ node }) => node!).toSorted();
}

describe('a statement about all accounts', () => {
  it('leaves out a slow node if it is a question of a background task, and adds its answer later', async () => {
    const { everywhere, asked, answer } = createNodes();
    expect(await run(everywhere, 'find-due-provider-lists')).toEqual(['1']);
    answer();
    expect(await run(everywhere, 'find-due-provider-lists')).toEqual(['1', '2']);
    expect(asked.filter((node) => node === 2)).toHaveLength(1);
  });

  it('has no rows while all nodes are slow, and fails for no caller', async () => {
    const { everywhere, answer } = createNodes([1, 2]);
    expect(await run(everywhere, 'find-due-provider-lists')).toEqual([]);
    answer();
    expect(await run(everywhere, 'find-due-provider-lists')).toEqual(['1', '2']);
  });

  it('gives all rows to two callers that ask the same at the same time', async () => {
    const { everywhere, answer } = createNodes();
    const both = ['find-due-provider-lists', 'find-due-provider-lists'].map((name) => run(everywhere, name));
    answer();
    expect(await Promise.all(both)).toEqual([
      ['1', '2'],
      ['1', '2'],
    ]);
  });

  it('takes no more than its limit', async () => {
    const { everywhere, asked, answer } = createNodes();
    answer();
    for (let round = 0; round < 10; round++) {
      expect(await run(everywhere, 'claim-provider-lists', ['lease', 1])).toHaveLength(1);
    }
    expect(asked).toHaveLength(10);
    expect(new Set(asked)).toEqual(new Set([1, 2]));
  });

  it.each([
    ['claims, since nobody would do what a late claim has taken', 'claim-provider-lists', ['lease', 8]],
    ['has parameters, whose answer is not the one to other parameters', 'find-waiting-job', [[1]]],
  ])('waits for a slow node if it %s', async (_why, name, values) => {
    const { everywhere, answer } = createNodes();
    let hasEnded = false;
    const rows = run(everywhere, name, values).finally(() => (hasEnded = true));
    await run(everywhere, 'find-due-provider-lists');
    expect(hasEnded).toBe(false);
    answer();
    await rows;
  });

  it('claims in several parts of a node at once, and in each only once if it finds nothing', async () => {
    const { everywhere, asked } = createNodeOf(20, 0);
    expect(await run(everywhere, 'claim-provider-lists', ['lease', 9])).toEqual([]);
    expect(asked.map(({ length }) => length).toSorted()).toEqual([4, 8, 8]);
    expect(new Set(asked.flat()).size).toBe(20);
  });

  it.each([1, 9, 30])('claims no row too many if it wants %d and finds more', async (wanted) => {
    const { everywhere } = createNodeOf(20, 50);
    expect(await run(everywhere, 'claim-provider-lists', ['lease', wanted])).toHaveLength(wanted);
  });
});
