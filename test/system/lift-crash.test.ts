import { DataFolder, type RunningService } from '../support/data-folder.js';
import { until } from '../support/until.js';

const ROWS = 8_000;
/** For the lease of the killed instance, and the rest of the work on a busy machine. */
const PATIENCE_MS = 120_000;

interface Progress {
  id: string;
  status: string;
  count: number;
  applied: number;
  skipped: number;
  reverted: number;
}

describe('a lift by query', () => {
  let folder: DataFolder;
  beforeEach(async () => (folder = await DataFolder.create()));
  afterEach(() => folder.remove());

  const post = async (
    service: RunningService,
    path: string,
    type: string,
    body: string,
  ): Promise<Progress> => {
    const response = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': type },
      body,
    });
    expect(response.status).toBe(202);
    return (await response.json()) as Progress;
  };
  const get = async (service: RunningService, path: string): Promise<Progress> =>
    (await service.ask(path)).json() as Promise<Progress>;
  const records = () => folder.query('SELECT id, email, cause, created_at FROM suppressions ORDER BY email');

  it(
    'neither loses nor repeats a line when the service is killed while it counts, applies, and reverts',
    async () => {
      let service = await folder.start();
      const file = Array.from({ length: ROWS }, (_, index) => `user${index}@example.com\n`).join('');
      const { id: imported } = await post(service, '/imports', 'text/plain', file);
      const importPath = `/imports/${imported}`;
      await until(async () => (await get(service, importPath)).status === 'completed', PATIENCE_MS);
      const before = await records();

      const query = JSON.stringify({ cause: 'manual', actor: imported });
      const { id } = await post(service, '/lifts', 'application/json', query);
      const path = `/lifts/${id}`;
      const killWhen = async (isInTheMiddle: (lift: Progress) => boolean): Promise<void> => {
        await until(async () => isInTheMiddle(await get(service, path)), PATIENCE_MS);
        service.process.kill('SIGKILL');
        await service.process.ended;
        service = await folder.start();
      };
      const reached = async (status: string): Promise<Progress> => {
        let lift!: Progress;
        await until(async () => {
          lift = await get(service, path);
          return lift.status === status;
        }, PATIENCE_MS);
        return lift;
      };
      await killWhen(({ count }) => count > 0);
      expect(await reached('ready')).toMatchObject({ count: ROWS });

      await post(service, `${path}/apply`, 'application/json', JSON.stringify({ confirm: ROWS }));
      await killWhen(({ applied }) => applied > 0);
      expect(await reached('applied')).toMatchObject({ applied: ROWS, skipped: 0 });
      expect(await records()).toEqual([]);

      await post(service, `${path}/revert`, 'application/json', '{}');
      await killWhen(({ reverted }) => reverted > 0);
      expect(await reached('reverted')).toMatchObject({ reverted: ROWS });
      expect(await records()).toEqual(before);
      const [counts] = await folder.query(`
        SELECT
          count(*) FILTER (WHERE evidence ->> 'lift' = '${id}') AS lifted,
          count(*) FILTER (WHERE evidence ->> 'reverted_lift' = '${id}') AS restored,
          count(DISTINCT email) AS addresses
        FROM suppression_changes`);
      const all = String(ROWS);
      expect(counts).toEqual({ lifted: all, restored: all, addresses: all });
    },
    4 * PATIENCE_MS,
  );
});
