import type { Agent } from 'supertest';
import { signIn } from '../support/console.js';
import { addresses, ageIncidents, sweepIncidents, WatchedMail } from '../support/incidents/incidents.js';
import { createWorld, type World } from '../support/world.js';

const PEOPLE = addresses(60);

describe('the console in an incident', () => {
  let world: World;
  let mail: WatchedMail;
  let admin: Agent;
  beforeEach(async () => {
    world = await createWorld();
    mail = await WatchedMail.create(world, 'acme');
    admin = await signIn(world, 'admin');
  });
  afterEach(() => world.close());

  const pageAt = async (path: string, browser = admin) => (await browser.get(path).expect(200)).text;
  const outage = async (guard: string) => {
    await world.as(world.alice).patch('/account').send({ incident_guard: guard }).expect(200);
    await mail.delivered(PEOPLE, 24 * 60);
    await mail.bounced(PEOPLE);
    await mail.pass();
  };

  it('says so on every page, and shows the answer, the counts of each five minutes, and two buttons', async () => {
    expect(await pageAt('/console')).not.toContain('Many addresses are bouncing');
    await outage('hold');
    for (const path of ['/console', '/console/list', '/console/overview']) {
      expect(await pageAt(path)).toMatch(
        /Many addresses are bouncing at once.*<a href="\/console\/incidents">/s,
      );
    }
    const page = await pageAt('/console/incidents');
    expect(page).toContain('The email account that you tried to reach does not exist.');
    expect(page).toMatch(/<dt>Held<\/dt><dd>60<\/dd>/);
    expect(page).toMatch(/<title>\d\d:\d\d UTC: 60<\/title>/);
    expect(page).toContain('Lift the held bounces (60)');
    expect(page).toContain('Keep the held bounces (60)');
    expect(await pageAt(`/console?q=${PEOPLE[0]}`)).toMatch(/held: incident.*the incident/s);
    expect(
      await pageAt('/console', await signIn(world, 'admin', 'admin@globex.example', 'globex')),
    ).not.toContain('Many addresses are bouncing');
  });

  it('lifts by a click of an admin, once', async () => {
    await outage('hold');
    const [{ id }] = (await world.database.query<{ id: string }>('SELECT id FROM incidents')) as [
      { id: string },
    ];
    const viewer = await signIn(world, 'editor');
    expect(await pageAt('/console/incidents', viewer)).not.toContain('Lift the held bounces');
    await viewer.post(`/console/incidents/${id}/lift`).expect(403);
    await admin.post(`/console/incidents/${id}/lift`).expect(303);
    const { text } = await admin.post(`/console/incidents/${id}/keep`).expect(409);
    expect(text).toContain('This incident has already been decided: lift.');
    await sweepIncidents(world);
    await sweepIncidents(world);
    expect(await pageAt(`/console?q=${PEOPLE[0]}`)).toContain('May be mailed');
    expect(await pageAt('/console/incidents')).toContain('lift, by admin@acme.example');
    expect(await pageAt('/console')).not.toContain('Many addresses are bouncing');
  });

  it('explains what to do if nothing is held, and that an incident is over', async () => {
    await outage('alert');
    const page = await pageAt('/console/incidents');
    expect(page).toContain('The bounces suppress their addresses as usual.');
    expect(page).not.toContain('Lift the held bounces');
    const [, link] = /<a href="(\/console\/lifts[^"]+)">Find the bounces/.exec(page)!;
    const form = await pageAt(link!.replaceAll('&amp;', '&'));
    expect(form).toContain('value="The email account that you tried to reach does not exist. Please try"');
    await ageIncidents(world, 65);
    await sweepIncidents(world);
    expect(await pageAt('/console/incidents')).toContain('An incident is over');
    expect(await pageAt('/console')).not.toContain('Many addresses are bouncing');
  });

  it('sets what happens in one', async () => {
    const settings = { removal: 'open', complaint_reach: 'all', bounce_expiry: '', inbox_retention: '' };
    const form = {
      ...settings,
      incident_guard: 'hold',
      incident_min_addresses: '200',
      incident_min_share: '0.2',
    };
    await admin.post('/console/settings').send(form).expect(303);
    expect((await world.as(world.alice).get('/account')).body).toMatchObject({
      incident_guard: 'hold',
      incident_min_addresses: 200,
      incident_min_share: 0.2,
    });
    const { text } = await admin
      .post('/console/settings')
      .send({ ...form, incident_min_share: 'some' })
      .expect(400);
    expect(text).toContain('“Minimum bounce rate for an incident” must be a number from 0.01 to 1');
    await admin.post('/console/settings').send(settings).expect(303);
    expect(await pageAt('/console/settings', await signIn(world, 'viewer'))).toContain(
      'At least 200 within 15 minutes',
    );
  });
});
