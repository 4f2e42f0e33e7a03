import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProviderNetwork } from '../../src/inbound/providers/provider-network.js';
import { PlanSweep } from '../../src/provider-lists/plans/plan-sweep.js';
import { ScheduledPlans } from '../../src/provider-lists/plans/scheduled-plans.js';
import { FORMATS, snsCertificate } from '../support/day/day-formats.js';
import { randomNumbers } from '../support/incidents/incident-senders.js';
import { MonthFaults } from '../support/month/month-faults.js';
import { MonthLog } from '../support/month/month-log.js';
import { MonthPeople, type ListRef } from '../support/month/month-people.js';
import { MonthService } from '../support/month/month-service.js';
import { startMailgun, startSendGrid, startSes, type Site } from '../support/month/month-sites.js';
import { MonthVerdict } from '../support/month/month-verdict.js';
import { createList } from '../support/provider-lists.js';
import { createSource, type TestSource } from '../support/sources.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, type World } from '../support/world.js';

const DAYS = Number(process.env.MONTH_DAYS ?? 30);
const SEED = Number(process.env.MONTH_SEED ?? 1);
const PEOPLE = 40;
/** More than a page of SendGrid. */
const OLD = 505;
const LAST_DAYS = 4;
/** SES takes about one request a second. */
const WINDOW_MS = 10_000;
const MOST_IN_WINDOW = 13;

describe(`a month of ${DAYS} days with SES, SendGrid, and Mailgun, seed ${SEED}`, () => {
  const log = new MonthLog();
  const numbers = randomNumbers(SEED);
  const random = (bound: number) => Math.floor(numbers() * bound);
  const emails = Array.from({ length: PEOPLE }, (_, index) => `p${index}@example.com`);
  const faults = new MonthFaults(log, random, () => service.wasKilledWithin(100));
  /** When a PATCH took a list from the instance that held it, so that another one could begin at once. */
  const handovers: number[] = [];
  let isOver = false;
  const requestsOfSes: { at: number; what: string }[] = [];
  let folder: string;
  let sites: Site[];
  let world: World;
  let service: MonthService;
  let people: MonthPeople;
  let lists: ListRef[];
  let verdict: MonthVerdict;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'suppression-list-month-'));
    sites = await Promise.all([startSes(), startSendGrid(), startMailgun()]);
    const origins = sites.map(({ name, fake }) => [`PROVIDER_API_URL_${name.toUpperCase()}`, fake.url]);
    world = await createWorld({ ...LOOPBACK, ...Object.fromEntries(origins) });
    const certificate = new X509Certificate(snsCertificate.pem);
    Object.assign(world.app.get(ProviderNetwork), { fetchCertificate: async () => certificate });
    service = await MonthService.start(world, sites, log, folder);
    const sources: Record<string, TestSource> = {};
    people = new MonthPeople(world, log, emails, sources, random);
    lists = [];
    for (const site of sites) {
      const { provider, options = {}, secrets = {} } = FORMATS[site.name]!;
      sources[site.name] = await createSource(world, provider!, { name: site.name, options, secrets });
      listen(site);
      fill(site);
      lists.push({ site, id: await createList(world, world.alice, settingsOf(site)) });
      await world.database.query('UPDATE provider_lists SET next_run_at = now() WHERE base_plan_id IS NULL');
      await world.app.get(ScheduledPlans).run();
      await service.untilQuiet();
    }
    for (let day = 1; day <= DAYS; day++) {
      await passDay();
    }
    await settle();
    verdict = new MonthVerdict(world, sites, log);
    await verdict.judge(emails);
    if (process.env.MONTH_SEED) {
      console.log(
        log.done,
        verdict.rest,
        `${service.killsInRequests} of ${service.killedAt.length} kills in requests`,
      );
    }
  }, 900_000);
  afterAll(async () => {
    await service.close();
    await world.close();
    await Promise.all(sites.map(({ fake }) => fake.close()));
    await rm(folder, { recursive: true });
  });

  const settingsOf = ({ name, connection, pushesUnsubscribes }: Site) => ({
    provider: name,
    name,
    ...connection,
    pull: true,
    push_additions: true,
    push_removals: true,
    push_unsubscribes: pushesUnsubscribes,
  });

  /** The provider had entries before the first day, the same ones as the others, about nobody who gets mail now. */
  function fill(site: Site): void {
    for (let index = 0; index < OLD; index++) {
      const address = `old${index}@example.com`;
      site.put({ list: site.lists.bounce!, address }, 'bounce', new Date('2026-01-10T08:00:00Z'));
    }
  }

  function listen(site: Site): void {
    site.fake.onRequest = (request) => {
      faults.onRequest(site, request, service.wasKilledWithin(5_000));
      log.onRequest(site, request);
      service.onRequest(site, request);
      // The instance of this process does not keep the pace of fakes.
      const keepsPace = request.url.origin !== site.fake.url;
      if (site.name === 'ses' && keepsPace && (site.lookedUp(request) || site.changeOf(request))) {
        requestsOfSes.push({ at: Date.now(), what: `${request.method} ${request.url.href}` });
      }
      appear(site, site.isPage(request) && request.url.search);
    };
    site.fake.onAnswer = (request, status) => log.onAnswer(site, request, status);
  }

  /** An entry appears between two pages, but for the last comparisons. */
  function appear(site: Site, search: string | false): void {
    if (!isOver && search && /NextToken|offset=[1-9]|page=next/.test(search) && random(8) === 0) {
      people.edit(site);
      log.count('between two pages');
    }
  }

  async function passDay(): Promise<void> {
    await world.app.get(ScheduledPlans).run();
    const actions = [
      ...Array.from({ length: 3 }, () => () => people.mail(people.pick(sites.slice(0, 2)))),
      ...Array.from({ length: 3 }, () => () => people.mail(people.pick(sites.slice(1)))),
      () => people.lift(),
      () => people.lift(),
      () => people.add(),
      ...(random(2) === 0 ? [() => people.addInVain(people.pick(sites.slice(0, 2)))] : []),
      () => people.liftAddition(),
      ...service.interrupted.splice(0).map((email) => () => people.lift(email)),
      ...(random(2) === 0 ? [() => people.complainAndLift(people.pick(sites))] : []),
      ...(random(2) === 0 ? [() => people.confirm(people.pick(lists))] : []),
      ...(random(2) === 0 ? [async () => people.edit(people.pick(sites))] : []),
      ...(random(3) === 0 ? [() => plan(people.pick(lists))] : []),
      ...(random(2) === 0 ? [async () => faults.inject(people.pick(sites))] : []),
      ...(random(5) === 0 ? [() => changeSwitch(people.pick(lists))] : []),
      ...(random(8) === 0 ? [() => changeCredentials(people.pick(lists))] : []),
      ...(random(3) === 0 ? [async () => service.arm(people.pick(['request', 'addition', 'addition']))] : []),
    ];
    while (actions.length > 0) {
      const [action] = actions.splice(random(actions.length), 1);
      await action!();
    }
    faults.release();
    if (random(3) > 0) {
      await service.untilQuiet();
    }
    await service.passNight();
    await world.app.get(PlanSweep).run();
  }

  /** Somebody compares, and applies the plan as it is then. Another plan may be in progress. */
  async function plan({ id }: ListRef): Promise<void> {
    const ask = (path: string) =>
      fetch(`${service.url}/provider-lists/${id}/plans${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${world.alice}`, 'content-type': 'application/json' },
        body: '{}',
      }).catch(() => undefined);
    const created = await ask('');
    const body = (await created?.json().catch(() => undefined)) as { id: string } | undefined;
    log.count(`plan by hand: ${created?.status}`);
    if (created?.status === 202) {
      await people.lift();
      await ask(`/${body!.id}/apply`);
    }
  }

  const patch = ({ id }: ListRef, changes: object) => {
    handovers.push(Date.now());
    return world.as(world.alice).patch(`/provider-lists/${id}`).send(changes).expect(200);
  };

  /** Off now, and on again later. */
  const later: (() => Promise<unknown>)[] = [];
  async function changeSwitch(list: ListRef): Promise<void> {
    await later.shift()?.();
    const name = people.pick(['pull', 'push_additions', 'push_removals']);
    await patch(list, { [name]: false });
    later.push(() => patch(list, { [name]: true }));
    log.count(`switch: ${name}`);
  }

  async function changeCredentials(list: ListRef): Promise<void> {
    await later.shift()?.();
    const credentials = list.site.rotate();
    later.push(() => patch(list, { credentials }));
    log.count('credentials replaced');
  }

  /** All faults are over, and every plan is made. */
  async function settle(): Promise<void> {
    isOver = true;
    for (const { fake } of sites) {
      fake.faults.length = 0;
      fake.losses = 0;
    }
    for (const restore of later.splice(0)) {
      await restore();
    }
    await people.deliverDue(true);
    for (let day = 0; day < LAST_DAYS; day++) {
      await service.untilQuiet();
      await service.passNight();
      await world.app.get(ScheduledPlans).run();
    }
    await service.untilQuiet();
  }

  it('is difficult enough', () => {
    expect(service.killsInRequests).toBeGreaterThan(0);
    expect(Object.keys(log.done)).toEqual(
      expect.arrayContaining([
        'lift',
        'webhook never',
        'webhook twice',
        'addition without a response',
        'complaint without a webhook',
      ]),
    );
    expect(Object.keys(verdict.rest).length).toBeGreaterThan(1);
  });

  it('removed no entry of a provider that nobody lifted or confirmed, put none there twice, and came never too early', () => {
    expect(log.violations).toEqual([]);
  });

  it('leaves lists that agree except where the rules forbid it', () => {
    expect(verdict.disagreements).toEqual([]);
  });

  it('leaves no change that must still reach a provider, except confirmations that are older than a week', async () => {
    const open = await world.database.query(
      `SELECT email, list, action, status, error FROM provider_list_pushes
      WHERE status = 'pending' OR status = 'failed' AND consent IS NULL`,
    );
    expect(open).toEqual([]);
  });

  it('asked SES about entries once a second, as long as the same instance held the list', () => {
    const windows = requestsOfSes.map(({ at }) => {
      const isIn = (time: number) => time >= at && time < at + WINDOW_MS;
      return [...service.killedAt, ...handovers].some(isIn)
        ? []
        : requestsOfSes.filter((other) => isIn(other.at));
    });
    expect(windows.filter(({ length }) => length > MOST_IN_WINDOW).slice(0, 1)).toEqual([]);
  });
});
