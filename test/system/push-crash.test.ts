import { startFakeSendGrid, type FakeSendGrid } from '../support/fake-providers/sendgrid.js';
import { DataFolder, type RunningService } from '../support/data-folder.js';
import { until } from '../support/until.js';
import { LOOPBACK } from '../support/webhooks.js';

const ROWS = 600;
const LIFTED = 40;
const PATIENCE_MS = 120_000;

interface ListBody {
  id: string;
  last_success_at: string | null;
  pushes: { pending: number; failed: number };
}

describe('pushing to a provider list', () => {
  let folder: DataFolder;
  let sendgrid: FakeSendGrid;
  beforeEach(async () => {
    sendgrid = await startFakeSendGrid();
    folder = await DataFolder.create();
  });
  afterEach(async () => {
    await folder.remove();
    await sendgrid.close();
  });

  const start = () => folder.start({ ...LOOPBACK, PROVIDER_API_URL_SENDGRID: sendgrid.url });
  const json = async <Body>(response: Promise<Response>): Promise<Body> =>
    (await response).json() as Promise<Body>;

  it(
    'neither loses nor doubles an entry when the service is killed while it adds and removes',
    async () => {
      let service: RunningService = await start();
      const { id } = await json<ListBody>(
        service.ask('/provider-lists', {
          provider: 'sendgrid',
          name: 'SendGrid',
          scope: { subuser: 'shop' },
          credentials: { api_key: 'SG.key' },
          push_additions: true,
          push_removals: true,
        }),
      );
      await json(service.ask(`/provider-lists/${id}/plans`, {}));
      await until(
        async () => (await json<ListBody>(service.ask(`/provider-lists/${id}`))).last_success_at !== null,
      );
      const listed = () => sendgrid.lists.unsubscribes!.map(({ email }) => email);
      const isDone = async (): Promise<boolean> => {
        const { pushes } = await json<ListBody>(service.ask(`/provider-lists/${id}`));
        const [list] = await folder.query<{ behind: boolean }>(
          `SELECT push_position < (SELECT last_position FROM feed_heads AS head WHERE head.account_id = list.account_id)
            OR EXISTS (SELECT FROM feed_pending WHERE feed_pending.account_id = list.account_id) AS behind
          FROM provider_lists AS list`,
        );
        return !list!.behind && pushes.pending === 0;
      };
      /** The leases of a dead instance and of its attempts end at once, so that the test need not wait for a minute. */
      const killWhen = async (isInTheMiddle: () => boolean): Promise<void> => {
        await until(isInTheMiddle, PATIENCE_MS);
        service.process.kill('SIGKILL');
        await service.process.ended;
        service = await start();
        await folder.query(
          'UPDATE provider_lists SET push_leased_until = now() WHERE push_lease_id IS NOT NULL',
        );
        await folder.query(
          `UPDATE provider_list_pushes SET next_attempt_at = now() WHERE status = 'pending'`,
        );
      };

      const emails = Array.from({ length: ROWS }, (_, index) => `user${index}@example.com`);
      const imported = await fetch(`${service.url}/imports`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'text/plain' },
        body: emails.join('\n'),
      });
      expect(imported.status).toBe(202);
      await killWhen(() => listed().length > 0);
      await killWhen(() => listed().length > ROWS / 3);
      await killWhen(() => listed().length > ROWS / 2);
      await until(async () => listed().length >= ROWS && (await isDone()), PATIENCE_MS);
      expect(listed().toSorted()).toEqual(emails.toSorted());
      const marks = await folder.query<{ number: number }>(
        `SELECT count(*)::integer AS number FROM provider_list_pushes WHERE status = 'done' AND put_at IS NOT NULL`,
      );
      expect(marks).toEqual([{ number: ROWS }]);

      const lifted = emails.slice(0, LIFTED);
      await service.ask('/suppressions/batch/remove', { emails: lifted });
      await killWhen(() => listed().length < ROWS);
      await until(async () => listed().length <= ROWS - LIFTED && (await isDone()), PATIENCE_MS);
      expect(listed().toSorted()).toEqual(emails.slice(LIFTED).toSorted());

      const { id: plan } = await json<ListBody>(service.ask(`/provider-lists/${id}/plans`, {}));
      let compared!: { status: string; counts: object };
      await until(async () => {
        compared = await json(service.ask(`/provider-lists/${id}/plans/${plan}`));
        return compared.status !== 'comparing';
      }, PATIENCE_MS);
      const counts = { pull: 0, push: 0, remove: 0, drift: 0, cannot: 0, agreed: ROWS - LIFTED };
      expect(compared).toMatchObject({ status: 'ready', counts });
    },
    4 * PATIENCE_MS,
  );
});
