import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '../support/child-process.js';
import { ask } from '../support/data-folder.js';
import { ReplicatedPostgres } from '../support/servers/replicated-postgres.js';
import { until } from '../support/until.js';

const DATABASE = 'list';
const WRITERS = 4;

describe('losing the primary of a synchronous standby', () => {
  let folder: string;
  let postgres: ReplicatedPostgres;
  let service: Child;
  let url: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'suppression-list-failover-'));
    postgres = await ReplicatedPostgres.start(DATABASE);
    service = Child.service({ DATABASE_URL: postgres.url(DATABASE) }, folder);
    url = (await service.says(/listening on (http:[\d.:/]+)/))[1]!;
  });
  afterAll(async () => {
    service?.kill('SIGKILL');
    await service?.ended;
    await postgres?.stop();
    await rm(folder, { recursive: true });
  });

  it('loses no acknowledged write, and accepts writes again', async () => {
    const key = await createKey();
    const writers = new Writers(url, key);
    await until(() => writers.acknowledged.length >= 50);
    await postgres.failOver();
    const before = writers.acknowledged.length;
    await until(() => writers.acknowledged.length >= before + 50);
    await writers.stop();
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const rows = await postgres.query<{ email: string }>(DATABASE, 'SELECT email FROM suppressions');
    const stored = new Set(rows.map(({ email }) => email));
    expect(writers.acknowledged.filter((email) => !stored.has(email))).toEqual([]);
    expect(writers.otherStatuses).toEqual(new Set([503]));
  });

  const createKey = async () => {
    const settings = { DATABASE_URL: postgres.url(DATABASE) };
    const cli = (...args: string[]) => Child.cli(args, settings, folder).ended;
    await cli('account', 'create', 'acme', '--beta');
    const { stdout } = await cli('key', 'create', '--account', 'acme', '--name', 'writer');
    return /sup_\w+/.exec(stdout)![0];
  };
});

/** Add one address after another, whatever the service answers. */
class Writers {
  readonly acknowledged: string[] = [];
  readonly otherStatuses = new Set<number>();
  private stopping = false;
  private next = 0;
  private readonly running: Promise<void>[];

  constructor(url: string, key: string) {
    this.running = Array.from({ length: WRITERS }, () => this.write(url, key));
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.running);
  }

  private async write(url: string, key: string): Promise<void> {
    while (!this.stopping) {
      const email = `person${this.next++}@example.com`;
      const { status } = await ask(`${url}/suppressions`, key, { email });
      if (status === 201) {
        this.acknowledged.push(email);
      } else {
        this.otherStatuses.add(status);
      }
    }
  }
}
