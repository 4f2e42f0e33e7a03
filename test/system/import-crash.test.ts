import { DataFolder, type RunningService } from '../support/data-folder.js';
import { until } from '../support/until.js';

/** `npm run crash:import` takes a million. */
const ROWS = Number(process.env.IMPORT_ROWS ?? 10_000);
/** For the lease of the killed instance, and the rest of the work on a busy machine. */
const PATIENCE_MS = 120_000 + ROWS;

interface Progress {
  id: string;
  status: string;
  rows: number;
  added: number;
}

describe('an import', () => {
  let folder: DataFolder;
  beforeEach(async () => (folder = await DataFolder.create()));
  afterEach(() => folder.remove());

  async function progressOf(service: RunningService, id: string): Promise<Progress> {
    return (await service.ask(`/imports/${id}`)).json() as Promise<Progress>;
  }

  it(
    'neither loses nor repeats a row when the service is killed in the middle of it, again and again',
    async () => {
      const file = Array.from({ length: ROWS }, (_, index) => `user${index}@example.com\n`).join('');
      let service = await folder.start();
      const uploaded = await fetch(`${service.url}/imports`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'text/plain' },
        body: file,
      });
      expect(uploaded.status).toBe(202);
      const { id } = (await uploaded.json()) as Progress;
      for (const share of [0.1, 0.5]) {
        await until(async () => (await progressOf(service, id)).rows >= share * ROWS, PATIENCE_MS);
        service.process.kill('SIGKILL');
        await service.process.ended;
        service = await folder.start();
        expect(await progressOf(service, id)).toMatchObject({ status: 'running' });
      }
      await until(async () => (await progressOf(service, id)).status === 'completed', PATIENCE_MS);
      expect(await progressOf(service, id)).toMatchObject({ rows: ROWS, added: ROWS, unchanged: 0 });
      const [counts] = await folder.query(`
        SELECT (SELECT count(*) FROM suppressions) AS records,
          (SELECT count(*) FROM suppression_changes) AS lines,
          (SELECT count(DISTINCT email) FROM suppression_changes) AS addresses
      `);
      const all = String(ROWS);
      expect(counts).toEqual({ records: all, lines: all, addresses: all });
    },
    3 * PATIENCE_MS,
  );
});
