import { DataFolder, type RunningService } from '../support/data-folder.js';
import { until } from '../support/until.js';

const WRITERS = 4;
const ENOUGH = 40;
/** In one request. */
const MAX_CHECKED = 1_000;

describe('after a crash', () => {
  let folder: DataFolder;
  let service: RunningService;
  beforeAll(async () => {
    folder = await DataFolder.create();
    service = await folder.start();
  });
  afterAll(() => folder.remove());

  it('of the service, the next one has everything that was acknowledged', async () => {
    const acknowledged = await addWhile(service, () => service.process.kill('SIGKILL'));
    expect(folder.postgresPid()).toBeDefined();
    service = await folder.start();
    expect(await suppressed(service, acknowledged)).toBe(acknowledged.length);
  });

  it('of the service and of PostgreSQL, the next one has everything that was acknowledged', async () => {
    const acknowledged = await addWhile(service, () => {
      service.process.kill('SIGKILL');
      process.kill(folder.postgresPid()!, 'SIGKILL');
    });
    service = await folder.start();
    expect(await suppressed(service, acknowledged)).toBe(acknowledged.length);
  });

  it('of PostgreSQL, the service answers 503 until it has started it again', async () => {
    const answers: Response[] = [];
    process.kill(folder.postgresPid()!, 'SIGKILL');
    await until(async () => {
      answers.push(await service.ask('/suppressions/batch/add', { emails: ['ada@example.com'] }));
      return answers.some(({ status }) => status === 503) && answers.at(-1)!.status === 201;
    });
    expect([...new Set(answers.map(({ status }) => status))].sort()).toEqual([201, 503]);
    const refused = answers.find(({ status }) => status === 503)!;
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect(await refused.json()).toMatchObject({ code: 'service_unavailable' });
    service.process.kill('SIGTERM');
    expect(await service.process.ended).toMatchObject({ code: 0, problems: [] });
    expect(folder.postgresPid()).toBeUndefined();
  });
});

/** Adds addresses from several writers, lets a crash happen in their midst, and returns what was acknowledged. */
async function addWhile({ ask }: RunningService, crash: () => void): Promise<string[]> {
  const acknowledged: string[] = [];
  const name = `batch${Date.now()}`;
  const write = async (writer: number): Promise<void> => {
    for (let round = 0; ; round++) {
      const emails = Array.from(
        { length: 5 },
        (_, index) => `${name}-${writer}-${round}-${index}@example.com`,
      );
      const answer = await ask('/suppressions/batch/add', { emails }).catch(() => undefined);
      if (answer?.status !== 201) {
        return;
      }
      acknowledged.push(...emails);
    }
  };
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
  await until(() => acknowledged.length > ENOUGH);
  crash();
  await Promise.all(writers);
  return acknowledged;
}

/** How many of the addresses are on the list. */
async function suppressed({ ask }: RunningService, emails: string[]): Promise<number> {
  let count = 0;
  for (let start = 0; start < emails.length; start += MAX_CHECKED) {
    const answer = await ask('/suppressions/check', { emails: emails.slice(start, start + MAX_CHECKED) });
    const { data } = (await answer.json()) as { data: { verdict: string }[] };
    count += data.filter(({ verdict }) => verdict === 'suppressed').length;
  }
  return count;
}
