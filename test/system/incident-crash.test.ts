import { DataFolder, type RunningService } from '../support/data-folder.js';
import { until } from '../support/until.js';

const ADDRESSES = 4_000;
const BATCH = 100;
/** For the pass, which waits until all writes of a time have ended, on a busy machine. */
const PATIENCE_MS = 180_000;

describe('an incident', () => {
  let folder: DataFolder;
  beforeEach(async () => (folder = await DataFolder.create()));
  afterEach(() => folder.remove());

  const send = async (
    { url, key }: RunningService,
    method: string,
    path: string,
    body: object,
  ): Promise<void> => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const { status } = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
    expect([path, status]).toEqual([path, 200]);
  };

  async function incidentsAt(service: RunningService): Promise<{ addresses: number; held: number }[]> {
    const { data } = (await (await service.ask('/incidents')).json()) as {
      data: { addresses: number; held: number }[];
    };
    return data;
  }

  it(
    'counts and holds each bounce once, however often the service is killed',
    async () => {
      let service = await folder.start();
      await send(service, 'PATCH', '/account', { incident_guard: 'hold' });
      const bounce = (email: string) => ({
        type: 'bounce',
        email,
        diagnostic: '550 5.1.1 No such user here',
      });
      await send(service, 'POST', '/events', bounce('first@other.example'));
      await folder.query(`
        INSERT INTO delivery_events
          (account_id, source_id, key, kind, effect, outcome, recipient, reason, occurred_at, received_at)
        SELECT account_id, source_id, number::text, 'delivered', 'success', 'nothing', 'person' || number || '@gmail.com', 'Test.',
          now() - interval '2 days', now()
        FROM delivery_events, generate_series(0, ${ADDRESSES - 1}) AS number`);
      for (let first = 0; first < ADDRESSES; first += BATCH) {
        const emails = Array.from({ length: BATCH }, (_, index) => `person${first + index}@gmail.com`);
        await send(service, 'POST', '/events', emails.map(bounce));
      }
      for (const [from, count] of [
        ['addresses', 50],
        ['held', 1],
        ['held', ADDRESSES / 2],
      ] as const) {
        await until(async () => ((await incidentsAt(service))[0]?.[from] ?? 0) >= count, PATIENCE_MS);
        service.process.kill('SIGKILL');
        await service.process.ended;
        service = await folder.start();
      }
      const all = ADDRESSES + 1;
      await until(async () => ((await incidentsAt(service))[0]?.held ?? 0) >= all, PATIENCE_MS);
      expect(await incidentsAt(service)).toMatchObject([{ addresses: all, held: all }]);
      const [counts] = await folder.query(`
        SELECT (SELECT count(*) FROM suppressions WHERE expires_at < now() + interval '1 day') AS held,
          (SELECT count(*) FROM held_bounces) AS holds,
          (SELECT count(*) FROM suppression_changes WHERE evidence ->> 'incident' IS NOT NULL) AS lines,
          (SELECT sum(addresses) FROM incident_counts) AS counted`);
      expect(counts).toEqual({
        held: String(all),
        holds: String(all),
        lines: String(all),
        counted: String(all),
      });
    },
    4 * PATIENCE_MS,
  );
});
