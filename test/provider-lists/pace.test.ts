import { PushWorker } from '../../src/provider-lists/push/push-worker.js';
import { listProviderOf } from '../../src/provider-lists/providers/providers.js';
import { startFakeMailgun, type FakeMailgun } from '../support/fake-providers/mailgun.js';
import { startFakeSes, type FakeSes } from '../support/fake-providers/ses.js';
import { createComparedList, createComparedSesList, createSesList } from '../support/provider-lists.js';
import { until } from '../support/until.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, withNewAccounts, type World } from '../support/world.js';

const HOUR_MS = 60 * 60 * 1_000;
const DOMAIN = 'mg.example.com';
const ADDRESSES = ['ada@example.com', 'grace@example.com', 'eve@example.com'];

describe('a provider that allows a request an hour', () => {
  let service: World;
  let world: World;
  let ses: FakeSes;
  let mailgun: FakeMailgun;
  beforeAll(async () => {
    [ses, mailgun] = await Promise.all([startFakeSes(), startFakeMailgun(DOMAIN)]);
    const urls = { PROVIDER_API_URL_SES: ses.url, PROVIDER_API_URL_MAILGUN: mailgun.url };
    service = await createWorld({ ...LOOPBACK, ...urls });
  });
  beforeEach(async () => {
    world = await withNewAccounts(service);
    setPace(0);
    ses.entries.clear();
  });
  afterAll(async () => {
    await service.close();
    await Promise.all([ses.close(), mailgun.close()]);
  });

  /** Closing the fake restores the pace. */
  const setPace = (ms: number) => {
    const { pace, add } = listProviderOf('ses');
    pace.ms = ms;
    add!.pace.ms = ms;
  };
  const compareMailgun = () =>
    createComparedList(world, world.charlie, {
      provider: 'mailgun',
      name: 'Mailgun',
      scope: { domain: DOMAIN },
      credentials: { api_key: 'key-1' },
      push_additions: true,
    });
  const reportBounces = async (key: string) => {
    for (const email of ADDRESSES) {
      await world.as(key).post('/events').send({ type: 'bounce', email }).expect(200);
    }
  };
  const sent = (method: string) => ses.requests.filter((request) => request.method === method).length;

  it('gets one page of its list, while another provider gets all requests of a plan', async () => {
    ses.pageSize = 1;
    ADDRESSES.forEach((address) => ses.list(address));
    const list = await createSesList(world, world.alice);
    setPace(HOUR_MS);
    ses.requests.length = 0;
    await world.as(world.alice).post(`/provider-lists/${list}/plans`).expect(202);
    await until(() => sent('GET') > 0);
    const other = await compareMailgun();
    expect(sent('GET')).toBe(1);
    await world.as(world.charlie).delete(`/provider-lists/${other}`).expect(200);
  });

  it('gets one change, while another provider gets several', async () => {
    ses.pageSize = 1_000;
    await createComparedSesList(world, world.alice, { push_additions: true });
    await compareMailgun();
    setPace(HOUR_MS);
    await reportBounces(world.alice);
    void world.app.get(PushWorker).run();
    await until(() => sent('PUT') > 0);
    await reportBounces(world.charlie);
    await until(() => mailgun.lists.bounces!.length === ADDRESSES.length);
    expect(sent('PUT')).toBe(1);
  });
});
