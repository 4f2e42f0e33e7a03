import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { progressOf } from '../../src/cli/client/provider-list/provider-list-text.js';
import { runClient } from '../../src/cli/client/run.js';
import { JobFailedError } from '../../src/jobs/job-handler.js';
import { ApplyLift } from '../../src/lifts/apply-lift.js';
import { CountLift } from '../../src/lifts/count-lift.js';
import { RevertLift } from '../../src/lifts/revert-lift.js';
import type { PlanDto } from '../../src/provider-lists/dto/plan.dto.js';
import type { ProviderListDto } from '../../src/provider-lists/dto/provider-list.dto.js';
import type { Ended } from '../support/child-process.js';
import { runCommand } from '../support/command-line.js';
import { type FakeSes, startFakeSes } from '../support/fake-providers/ses.js';
import { addresses, WatchedMail } from '../support/incidents/incidents.js';
import { createWorld, suppress, withNewAccounts, type World } from '../support/world.js';

const SECRET = 'wJalrXUtnFEMI-the-secret';

let keys = 0;

describe('the command provider-list', () => {
  let service: World;
  let world: World;
  let ses: FakeSes;
  let folder: string;
  beforeAll(async () => {
    ses = await startFakeSes();
    service = await createWorld({ PROVIDER_API_URL_SES: ses.url, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
    folder = await mkdtemp(join(tmpdir(), 'suppressions-'));
  });
  beforeEach(async () => {
    world = await withNewAccounts(service);
    ses.entries.clear();
  });
  afterAll(async () => {
    await service.close();
    await ses.close();
    await rm(folder, { recursive: true });
  });

  const run = (args: string[], input = ''): Promise<Ended> => {
    const settings = {
      SUPPRESSIONS_URL: world.url,
      SUPPRESSIONS_API_KEY: world.alice,
      XDG_CONFIG_HOME: folder,
    };
    return runCommand(['provider-list', ...args], settings, folder, input, { program: runClient });
  };
  const output = async (...args: string[]): Promise<string> => {
    const { code, stdout, problems } = await run(args);
    expect({ args, code, problems }).toEqual({ args, code: 0, problems: [] });
    return stdout;
  };
  const credentials = (): string =>
    JSON.stringify({ access_key_id: `AKIDEXAMPLE9${++keys}`, secret_access_key: SECRET });
  const create = async (...args: string[]): Promise<string> => {
    const options = ['--provider', 'ses', '--scope', 'region=eu-west-1', '--json', ...args];
    const { code, stdout, problems } = await run(['create', ...options], credentials());
    expect({ code, problems }).toEqual({ code: 0, problems: [] });
    return JSON.parse(stdout).id;
  };
  const planIn = (text: string): string => /^Plan (\S+), ready$/m.exec(text)![1]!;
  const total = async (): Promise<number> =>
    (await world.as(world.alice).get('/suppressions/count').expect(200)).body.total;

  it('creates, shows, changes, tests, lists, and deletes a list', async () => {
    const args = ['create', '--provider', 'ses', '--name', 'Ireland', '--scope', 'region=eu-west-1'];
    const created = await run(args, credentials());
    expect(created.stdout).toMatch(
      /^Created Ireland \(ses eu-west-1\): \S+\nTo compare it: .* provider-list plan /,
    );
    const [, id] = /: (\S+)\n/.exec(created.stdout)!;
    const shown = await output('show', id!);
    expect(shown).toMatch(/^region +eu-west-1$/m);
    expect(shown).toMatch(/^not pushed +-$/m);
    expect(shown).toMatch(/^differences in the last plan +-$/m);
    expect(shown).toMatch(/^switched on +nothing: plans are only compared$/m);
    await output('set', id!, '--pull', '--interval', '6h');
    expect(await output('show', id!)).toMatch(/^switched on +pull$/m);
    await output('set', id!, '--no-pull');
    expect(JSON.parse(await output('show', id!, '--json'))).toMatchObject({ pull: false, interval: '6h' });
    const tested = await output('test', id!);
    expect(tested).toMatch(/^ALLOWED +PERMISSION +REASON\nyes +ses:ListSuppressedDestinations +-\n/);
    expect(tested).toMatch(/\nunknown +ses:PutSuppressedDestination +Only a change would show it/);
    expect(await output('list')).toMatch(/^\S+ +Ireland \(ses eu-west-1\) +active +- +-$/m);
    expect(await run(['delete', id!])).toMatchObject({
      code: 2,
      problems: [expect.stringContaining('Confirm with --yes')],
    });
    expect(await output('delete', id!, '--yes')).toBe(`Deleted ${id}.\n`);
    expect(await output('list')).toBe('No provider lists.\n');
    expect(await run(['show', id!])).toMatchObject({ code: 3 });
  });

  it('shows a plan by kind, applies it once, and says so the second time', async () => {
    await suppress(world, world.alice, ['here@example.com']);
    ses.list('Ada@example.com', 'COMPLAINT');
    ses.list('grace@example.com');
    const id = await create();
    const text = await output('plan', id, '--limit', '1');
    expect(text).toMatch(/^ses \(ses eu-west-1\), 2 entries at the provider on \S+ \S+ UTC$/m);
    expect(text).toMatch(
      /^To add here \(pull\): 2\n {2}\+ {2}Ada@example\.com {2}complaint {4}2026-01-10 08:00 {2}suppressions\n {2}… and 1 more: .* lines \S+ \S+ --kind pull$/m,
    );
    expect(text).toMatch(
      /^Only here \(push\): 1, not applied because push_additions is off\n {2}\+ {2}here@example\.com/m,
    );
    expect(text).toMatch(
      /^Plan: 2 to add here, 0 to add and 0 to remove at the provider, 0 to decide, 0 not possible, 0 agreed\.\nApplying it takes about 1s\.$/m,
    );
    const plan = planIn(text);
    expect(text).toContain(`provider-list apply ${id} ${plan}\n`);
    expect((await output('lines', id, plan, '--kind', 'pull')).split('\n')).toHaveLength(3);
    expect(await output('lines', id, plan, '--email', 'ADA@example.com')).toMatch(
      /^\+ {2}Ada@example\.com .*\n$/,
    );
    expect(await output('pushes', id, '--email', 'ada@example.com', '--status', 'failed')).toBe(
      'No changes match.\n',
    );
    await world.database.query(
      `INSERT INTO provider_list_pushes (account_id, provider_list_id, email, list, address, action, status, cause, since)
      SELECT account_id, id, 'eve@example.com', 'suppressions', 'eve@example.com', 'remove', 'failed', 'bounce', now()
      FROM provider_lists WHERE id = $1`,
      [id],
    );
    expect(await output('show', id)).toMatch(/^not pushed +1 failed$/m);
    const refused = await run(['apply', id, plan]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.problems.join('\n')).toContain('To add here (pull): 2');
    expect(await total()).toBe(1);
    expect(await output('apply', id, plan, '--yes')).toBe('Applied lines: 2\n');
    expect(await total()).toBe(3);
    expect(await output('apply', id, plan, '--yes')).toBe(
      'The plan was applied before; nothing was changed. Applied lines: 2\n',
    );
    expect(await output('plan', id)).toMatch(/, 2 agreed\.$/m);
    expect(await output('list')).toMatch(/ active .* 1 push$/m);
  });

  it('shows the progress of everything that a plan applies, also at the provider', () => {
    const plan = {
      status: 'applying',
      applied: 5,
      skipped: 1,
      capped: 20,
      counts: { pull: 2, push: 10, remove: 70, drift: 1, cannot: 1, agreed: 9 },
    } as PlanDto;
    const progress = (list: Partial<ProviderListDto>) => progressOf(list as ProviderListDto, plan);
    expect(progress({ push_additions: true, push_removals: true })).toEqual([6, 62]);
    expect(progress({ push_additions: false, push_removals: false })).toEqual([6, 2]);
  });

  it('marks a cause that applying the plan adds', async () => {
    await suppress(world, world.alice, ['ada@example.com']);
    ses.list('ada@example.com', 'COMPLAINT');
    const id = await create();
    const plan = planIn(await output('plan', id));
    expect(await output('lines', id, plan)).toMatch(
      /^~ {2}ada@example\.com {2}complaint .* Applying the plan adds this cause/,
    );
  });

  it('says that a plan stopped, and applies it only if told so', async () => {
    ['ada', 'grace'].forEach((name) => ses.list(`${name}@example.com`));
    const id = await create();
    await output('apply', id, planIn(await output('plan', id)), '--yes');
    ses.entries.clear();
    const text = await output('plan', id);
    const [, plan] = /^Plan (\S+), stopped$/m.exec(text)!;
    expect(text).toContain('had 2 entries');
    expect(text).toContain(`apply ${id} ${plan} --accept-stop`);
    expect(await run(['apply', id, plan!, '--yes'])).toMatchObject({
      code: 1,
      problems: [expect.stringContaining('To apply it anyway, add --accept-stop.')],
    });
    await output('apply', id, plan!, '--yes', '--accept-stop');
  });

  it('discards a plan', async () => {
    const id = await create();
    const plan = planIn(await output('plan', id));
    expect(await output('discard', id, plan)).toBe(`Discarded ${plan}.\n`);
    expect(await run(['lines', id, plan])).toMatchObject({ code: 3 });
  });

  it('removes at the provider what a person confirms', async () => {
    ses.list('Ada@example.com', 'COMPLAINT');
    const id = await create();
    await output('plan', id);
    const args = [
      'remove',
      id,
      'ada@example.com',
      '--consent',
      'recipient_request',
      '--reference',
      'Case 4711',
    ];
    expect(await run(args)).toMatchObject({ code: 2, problems: [expect.stringContaining('--yes')] });
    expect(await output(...args, '--yes')).toMatch(/^ada@example\.com +queued +suppressions$/m);
    expect(await run(['remove', id, 'ada@example.com', '--yes'])).toMatchObject({ code: 2 });
  });

  it('says which permission is missing, and accepts other credentials', async () => {
    const args = ['create', '--provider', 'ses', '--scope', 'region=eu-west-1', '--json'];
    const wrong = JSON.stringify({ access_key_id: `WRONG${++keys}`, secret_access_key: SECRET });
    const { id } = JSON.parse((await run(args, wrong)).stdout);
    const missing = 'The credentials lack the permission ses:ListSuppressedDestinations (403).';
    expect(await run(['test', id])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/\nno +ses:ListSuppressedDestinations +The credentials lack/),
      problems: [missing],
    });
    expect(await run(['plan', id])).toMatchObject({ code: 1, problems: [expect.stringContaining(missing)] });
    expect(await run(['set', id, '--credentials'], credentials())).toMatchObject({ code: 0 });
    expect(await output('test', id)).toContain('yes');
  });

  it('takes an only credential as it is, and repeats none in an error', async () => {
    const made = await run(['create', '--provider', 'resend', '--json'], 're_123\n');
    expect(JSON.parse(made.stdout)).toMatchObject({ provider: 'resend', name: 'resend' });
    const createSes = ['create', '--provider', 'ses', '--scope', 'region=eu-west-1'];
    const notJson = await run(createSes, SECRET);
    expect(notJson).toMatchObject({
      code: 2,
      problems: ['Standard input must have a JSON object with access_key_id and secret_access_key.'],
    });
    const incomplete = await run(createSes, JSON.stringify({ secret_access_key: SECRET }));
    expect(incomplete).toMatchObject({ code: 2, problems: ['credentials.access_key_id must be given.'] });
    expect(await run(createSes)).toMatchObject({
      code: 2,
      problems: ['No JSON object with access_key_id and secret_access_key was entered.'],
    });
    expect(await run(['create', '--provider', 'ses', '--scope', 'eu-west-1'])).toMatchObject({ code: 2 });
  });
});

describe('the command lift', () => {
  let service: World;
  let world: World;
  let folder: string;
  beforeAll(async () => {
    service = await createWorld();
    folder = await mkdtemp(join(tmpdir(), 'suppressions-'));
  });
  beforeEach(async () => (world = await withNewAccounts(service)));
  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true });
  });

  const run = (...args: string[]): Promise<Ended> => {
    const settings = {
      SUPPRESSIONS_URL: world.url,
      SUPPRESSIONS_API_KEY: world.alice,
      XDG_CONFIG_HOME: folder,
    };
    return runCommand(['lift', ...args], settings, folder, '', { program: runClient });
  };
  const output = async (...args: string[]): Promise<string> => {
    const { code, stdout, problems } = await run(...args);
    expect({ args, code, problems }).toEqual({ args, code: 0, problems: [] });
    return stdout;
  };
  const count = async (): Promise<number> =>
    (await world.as(world.alice).get('/suppressions/count').expect(200)).body.total;
  const create = (...args: string[]) =>
    output('create', '--cause', 'manual', '--created-after', '2020-01-01', ...args);

  it('counts, shows, applies, and reverts', async () => {
    await suppress(world, world.alice, ['ada@example.com', 'grace@example.org']);
    const preview = await create('--domain', 'example.com', 'example.net');
    expect(preview).toMatch(/^found +1$/m);
    expect(preview).toMatch(/^COUNT +DOMAIN\n1 +example\.com$/m);
    expect(preview).toMatch(/^ada@example\.com /m);
    const [, id] = /To lift them: .* lift apply (\S+)/.exec(preview)!;
    expect(await output('show', id!)).toMatch(
      /^query +manual, after 2020-01-01 00:00, at example\.com, example\.net$/m,
    );
    expect(await output('lines', id!)).toMatch(/^ada@example\.com +\S+ \S+ +planned/m);
    expect(await count()).toBe(2);
    expect(await output('apply', id!, '--yes')).toMatch(/^Lifted: 1\nTo put them back: .* lift revert /);
    expect(await count()).toBe(1);
    expect(await output('revert', id!, '--yes')).toBe('Put back: 1\n');
    expect(await count()).toBe(2);
    expect(await run('apply', id!, '--yes')).toMatchObject({
      code: 1,
      stdout: '',
      problems: [expect.stringContaining('put back before; nothing was changed')],
    });
    expect(await output('list')).toMatch(/ reverted +1 +manual, after 2020-01-01/);
    expect(JSON.parse(await output('lines', id!, '--status', 'reverted', '--json'))).toMatchObject([
      { email: 'ada@example.com', status: 'reverted' },
    ]);
  });

  it('shows five addresses, and says how to see the others', async () => {
    const emails = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `${name}@example.com`);
    await suppress(world, world.alice, emails);
    const preview = await create();
    const id = /lift apply (\S+)/.exec(preview)![1]!;
    expect(preview.match(/^[a-g]@example\.com /gm)).toHaveLength(5);
    expect(preview).toMatch(new RegExp(`^… and 2 more: .* lift lines ${id}$`, 'm'));
  });

  it('shows a lift whose lines are deleted', async () => {
    await suppress(world, world.alice, ['ada@example.com']);
    const { id } = JSON.parse(await create('--json'));
    await service.database.query('DELETE FROM lift_lines WHERE lift_id = $1', [id]);
    expect(await output('show', id)).toMatch(/^1 +example\.com$/m);
  });

  it('changes nothing without a confirmation', async () => {
    await suppress(world, world.alice, ['ada@example.com']);
    const { id } = JSON.parse(await create('--json'));
    const refused = await run('apply', id);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.problems.join('\n')).toMatch(/found +1/);
    expect(refused.problems.at(-1)).toContain('Confirm with --yes');
    expect(await count()).toBe(1);
    await output('apply', id, '--yes');
    expect(await run('revert', id)).toMatchObject({ code: 2 });
    expect(await count()).toBe(0);
  });

  it('exits with 1 if a step stops before its end', async () => {
    await suppress(world, world.alice, ['ada@example.com']);
    const failure = new JobFailedError('internal_server_error', 'It failed.');
    jest.spyOn(service.app.get(CountLift), 'run').mockRejectedValueOnce(failure);
    const failed = await run('create', '--cause', 'manual', '--created-after', '2020-01-01');
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('expired. It failed.') });
    const { id } = JSON.parse(await create('--json'));
    jest.spyOn(service.app.get(ApplyLift), 'run').mockRejectedValueOnce(failure);
    expect(await run('apply', id, '--yes')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^Lifted: 0\nIt failed\.\n/),
    });
    const unconfirmed = await run('apply', id);
    expect(unconfirmed).toMatchObject({ code: 2, stdout: '' });
    expect(unconfirmed.problems.join('\n')).toMatch(/applied\. It failed\.[^]*Confirm with --yes/);
    expect(await count()).toBe(1);
    expect(await output('apply', id, '--yes')).toMatch(/^Lifted: 1\n/);
    jest.spyOn(service.app.get(RevertLift), 'run').mockRejectedValueOnce(failure);
    expect(await run('revert', id, '--yes')).toMatchObject({ code: 1 });
    expect(await run('apply', id)).toMatchObject({
      stdout: expect.stringMatching(/^Lifted: 1\n/),
      problems: [],
    });
  });

  it('does not ask about a lift whose lines are deleted', async () => {
    await suppress(world, world.alice, ['ada@example.com']);
    const { id } = JSON.parse(await create('--json'));
    const failure = new JobFailedError('internal_server_error', 'It failed.');
    jest.spyOn(service.app.get(ApplyLift), 'run').mockRejectedValueOnce(failure);
    await run('apply', id, '--yes');
    await service.database.query('UPDATE lifts SET lines_until = NULL WHERE id = $1', [id]);
    expect(await run('apply', id)).toMatchObject({
      code: 1,
      stdout: '',
      problems: [expect.stringContaining('its lines are deleted; nothing was changed')],
    });
    expect(await run('revert', id)).toMatchObject({
      code: 1,
      stdout: '',
      problems: [expect.stringContaining('more than 30 days ago')],
    });
  });

  it('says what is wrong in the words of the command', async () => {
    expect(await run('create', '--cause', 'manual')).toMatchObject({
      code: 2,
      problems: [expect.stringMatching(/at least one condition .*--created-after, .*, or --diagnostic/)],
    });
    expect(await run('create', '--cause', 'manual', '--domain', 'a b')).toMatchObject({
      code: 2,
      problems: [expect.stringMatching(/^--domain must have domains/)],
    });
    expect(await run('create', '--cause', 'complaint')).toMatchObject({ code: 2 });
    expect(await run('show', 'none')).toMatchObject({
      code: 3,
      problems: ['The account has no lift with this id.'],
    });
    await suppress(world, world.alice, ['ada@example.com']);
    await world.as(world.alice).patch('/account').send({ removal: 'guarded' }).expect(200);
    const { id } = JSON.parse(await create('--json'));
    expect(await run('apply', id, '--yes')).toMatchObject({
      code: 1,
      problems: [expect.stringContaining('Add --consent our_error')],
    });
    expect(await run('apply', id, '--yes', '--reference', 'Case 4711')).toMatchObject({
      code: 2,
      problems: [expect.stringContaining('Add --consent <kind>: ')],
    });
    await output('apply', id, '--yes', '--consent', 'our_error', '--reference', 'Case 4711');
    expect(await count()).toBe(0);
  });

  it('of 1,500 addresses confirms the number that the person saw', async () => {
    const emails = Array.from({ length: 1_500 }, (_, index) => `user${index}@example.com`);
    for (let first = 0; first < emails.length; first += 100) {
      await suppress(world, world.alice, emails.slice(first, first + 100));
    }
    const { id } = JSON.parse(await create('--json'));
    expect(await output('apply', id, '--yes')).toMatch(/^Lifted: 1,500\n/);
    expect(JSON.parse(await output('lines', id, '--limit', '250', '--json'))).toHaveLength(250);
  });
});

describe('the command incident', () => {
  let world: World;
  let folder: string;
  beforeAll(async () => {
    world = await createWorld();
    folder = await mkdtemp(join(tmpdir(), 'suppressions-'));
  });
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  const run = (...args: string[]): Promise<Ended> => {
    const settings = {
      SUPPRESSIONS_URL: world.url,
      SUPPRESSIONS_API_KEY: world.alice,
      XDG_CONFIG_HOME: folder,
    };
    return runCommand(args, settings, folder, '', { program: runClient });
  };
  const output = async (...args: string[]): Promise<string> => {
    const { code, stdout, problems } = await run('incident', ...args);
    expect({ args, code, problems }).toEqual({ args, code: 0, problems: [] });
    return stdout;
  };

  it('lists and shows incidents with the lift that finds their bounces, and decides them', async () => {
    expect(await output('list')).toBe('No incidents.\n');
    const mail = await WatchedMail.create(world, 'acme');
    await mail.delivered(addresses(60), 24 * 60);
    await mail.bounced(addresses(60));
    await mail.pass();
    const [, id] = /^(\S+) +\S+ \S+ +open +60 +0 +The email account/m.exec(await output('list'))!;
    const shown = await output('show', id!);
    expect(shown).toMatch(/^answer +The email account that you tried to reach/m);
    const [, lift] = /^find the others +\S+.* lift (create .*)$/m.exec(shown)!;
    const args = lift!.split(/ (?=(?:[^']*'[^']*')*[^']*$)/).map((arg) => arg.replaceAll("'", ''));
    expect((await run('lift', ...args)).stdout).toMatch(/^found +60$/m);
    expect(await run('incident', 'decide', id!, 'keep')).toMatchObject({ code: 2 });
    expect(await output('decide', id!, 'keep', '--yes')).toMatch(/^status +decided: keep$/m);
    expect(await run('incident', 'decide', id!, 'lift', '--yes')).toMatchObject({
      code: 1,
      problems: ['This incident has already been decided: keep.'],
    });
    expect(JSON.parse(await output('show', id!, '--json'))).toMatchObject({
      object: 'incident',
      decision: 'keep',
    });
  });

  it('holds bounces, which the command why calls a new expiry', async () => {
    await world.as(world.charlie).patch('/account').send({ incident_guard: 'hold' }).expect(200);
    const mail = await WatchedMail.create(world, 'globex');
    const people = addresses(60);
    await mail.delivered(people, 24 * 60);
    await mail.bounced(people);
    await mail.pass();
    const settings = {
      SUPPRESSIONS_URL: world.url,
      SUPPRESSIONS_API_KEY: world.charlie,
      XDG_CONFIG_HOME: folder,
    };
    const { stdout } = await runCommand(['why', people[0]!], settings, folder, '', { program: runClient });
    expect(stdout).toMatch(/ new expiry +bounce .*\n.* added +bounce /);
  });
});
