import { setImmediate as nextRound } from 'node:timers/promises';
import { FairLimiter } from '../../src/process/fair-limiter.js';

describe('the fair limiter', () => {
  it('runs work in order, never more at a time than allowed, even after a failure', async () => {
    const turns = new FairLimiter(2);
    const begun: number[] = [];
    let running = 0;
    let most = 0;
    const work = async (number: number) => {
      begun.push(number);
      most = Math.max(most, ++running);
      await nextRound();
      running--;
      if (number % 3 === 0) {
        throw new Error('failed');
      }
      return number;
    };
    const numbers = [0, 1, 2, 3, 4, 5, 6];
    const settled = await Promise.allSettled(numbers.map((number) => turns.run(() => work(number))));
    expect(settled.map(({ status }) => status === 'fulfilled')).toEqual(
      numbers.map((number) => number % 3 !== 0),
    );
    expect([begun, most]).toEqual([numbers, 2]);
  });

  it('alternates between the owners that wait', async () => {
    const turns = new FairLimiter(1);
    const begun: string[] = [];
    const take = (name: string, owner: number) =>
      turns.run(async () => {
        begun.push(name);
        await nextRound();
      }, owner);
    await Promise.all([take('a1', 1), take('a2', 1), take('a3', 1), take('b1', 2)]);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('leaves room for other owners, if one may not have all', async () => {
    const turns = new FairLimiter(3, { maxOfOwner: 2 });
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const take = (name: string, owner: number) =>
      turns.run(() => {
        begun.push(name);
        return new Promise<void>((end) => ends.push(end));
      }, owner);
    const all = [take('a1', 1), take('a2', 1), take('a3', 1), take('b1', 2), take('b2', 2)];
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    for (let ended = 0; ended < all.length; ended++) {
      ends[ended]!();
      await nextRound();
    }
    await Promise.all(all);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
  });

  it('rejects work that has waited for too long, and never begins it', async () => {
    const turns = new FairLimiter(1, { patience: { ms: 10, createError: () => new Error('too late') } });
    let end: () => void;
    const first = turns.run(() => new Promise<void>((resolve) => (end = resolve)));
    const begun: string[] = [];
    const late = turns.run(async () => begun.push('late'), 1);
    expect(turns.waitingCount).toBe(1);
    await expect(late).rejects.toThrow('too late');
    expect(turns.waitingCount).toBe(0);
    const next = turns.run(async () => begun.push('next'), 1);
    end!();
    await Promise.all([first, next]);
    expect(begun).toEqual(['next']);
  });
});
