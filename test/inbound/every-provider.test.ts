import { PROVIDER_NAMES } from '../../src/inbound/providers/providers.js';
import { OWN_UUID } from '../support/deliveries.js';
import { BOUNCES } from '../support/provider-bounces.js';
import { readInbox, readList } from '../support/sources.js';
import { createWorld, type World } from '../support/world.js';

describe('a hard bounce through the route', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it.each(Object.entries(BOUNCES))('of %s suppresses, with our own id of the mail', async (name, deliver) => {
    const email = `${name}@example.com`;
    const { source, send } = await deliver(world, email);
    await send();
    const { id } = source;
    expect(await readInbox(world, source)).toEqual([`${email} bounce suppress: added`]);
    const row = (await readList(world)).find((one) => one.email === email);
    expect(row).toMatchObject({ cause: 'bounce', email_id: OWN_UUID });
    const { body } = await world.as(world.alice).get(`/suppressions/${email}/history`).expect(200);
    expect(body.data[0]).toMatchObject({ actor: { type: 'source', id, name }, note: expect.any(String) });
  });

  it('is tested for every provider except Amazon SES, which has its own tests', () => {
    expect([...Object.keys(BOUNCES), 'ses'].toSorted()).toEqual([...PROVIDER_NAMES].toSorted());
  });
});
