import { randomBytes } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import type { Agent } from 'supertest';
import { SCRIPT } from '../../src/console/components/assets.js';
import { JobSweep } from '../../src/jobs/job-sweep.js';
import { signIn } from '../support/console.js';
import { countLift } from '../support/lifts.js';
import { until } from '../support/until.js';
import { createWorld, suppress, type World } from '../support/world.js';

const SENDGRID = ['status,reason,email,created', '550,"550 5.1.1 no such user",gone@example.com,1700000000'];
const FILE = `${SENDGRID.join('\n')}\n550,again,not an address,1700000000\n550,again,=HYPERLINK("https://evil.example"),1700000000\n`;

describe('the imports of the console', () => {
  let world: World;
  let editor: Agent;
  beforeAll(async () => {
    world = await createWorld();
    editor = await signIn(world, 'editor');
  });
  afterAll(() => world.close());

  const upload = (
    fields: Record<string, string>,
    file: string | Buffer,
    filename: string,
    browser = editor,
  ) => browser.post('/console/imports').field(fields).attach('file', Buffer.from(file), { filename });
  const deleteFilesOfEndedJobs = () => world.app.get(JobSweep).run();
  const storedPieces = async (): Promise<number> => {
    const [row] = await world.database.query<{ count: number }>(
      'SELECT count(*)::integer AS count FROM job_pieces',
    );
    return row!.count;
  };
  const ended = async (path: string): Promise<string> => {
    let text = '';
    await until(async () => {
      ({ text } = await editor.get(path).expect(200));
      return !text.includes('data-running');
    });
    return text;
  };

  it('checks a file of SendGrid, imports it, shows the refused rows, and reverts it', async () => {
    const checked = await upload({ dry_run: 'true' }, FILE, 'suppression_bounces.csv').expect(303);
    const check = await ended(checked.headers.location!);
    expect(check).toMatch(/Detected format<\/dt><dd>SendGrid: bounces/);
    expect(check).toMatch(/Would be added<\/dt><dd><strong>1</);
    expect(check).toContain('Only checked: nothing was changed.');
    await world.as(world.alice).get('/suppressions/gone@example.com').expect(404);

    const imported = await upload({ dry_run: 'false', name: '' }, FILE, 'suppression_bounces.csv').expect(
      303,
    );
    const path = imported.headers.location!;
    const done = await ended(path);
    expect(done).toMatch(/Added<\/dt><dd><strong>1</);
    expect(done).toContain('Not an address');
    const { text: csv } = await editor.get(`${path}/errors`).expect(200);
    expect(csv).toBe(
      `\ufeffline,code,value\r\n3,invalid_email,not an address\r\n4,invalid_email,"'=HYPERLINK(""https://evil.example"")"\r\n`,
    );
    await world.as(world.alice).get('/suppressions/gone@example.com').expect(200);

    const question = await editor.get(`${path}/revert`).expect(200);
    expect(question.text).toMatch(
      /Revert this import\?.*Addresses that it added: 1\..*neither cancelled nor undone/s,
    );
    expect(done).not.toContain(`action="${path}/revert`);
    await editor.post(`${path}/revert`).type('form').expect(303);
    expect(await ended(path)).toContain('reverted');
    await editor.get(`${path}/revert`).expect(303);
    await world.as(world.alice).get('/suppressions/gone@example.com').expect(404);
  });

  it('leads from a revert to what is still listed, whatever its cause is', async () => {
    const { headers } = await upload({ dry_run: 'false' }, 'email\nkept@example.com\n', 'x.csv').expect(303);
    const path = headers.location!;
    await ended(path);
    await suppress(world, world.alice, ['kept@example.com']);
    await editor.post(`${path}/revert`).type('form').expect(303);
    const links = [...(await ended(path)).matchAll(/href="\/console\/lifts\?([^"]+)"/g)];
    const queries = links.map(([, query]) =>
      Object.fromEntries(new URLSearchParams(query!.replace('&amp;', '&'))),
    );
    expect(queries.map(({ cause }) => cause)).toEqual(['bounce', 'manual']);
    const counts = await Promise.all(queries.map((query) => countLift(world, world.alice, query)));
    expect(counts.map(({ count }) => count)).toEqual([0, 1]);
  });

  it.each([
    ['email\nrevertible@example.com\n', true],
    ['email\nnobody\n', false],
  ])('offers to revert an import if it changed anything: %j', async (file, isOffered) => {
    const { headers } = await upload({ dry_run: 'false' }, file, 'x.csv').expect(303);
    const path = headers.location!;
    expect((await ended(path)).includes(`href="${path}/revert"`)).toBe(isOffered);
    await editor.get(`${path}/revert`).expect(isOffered ? 200 : 303);
  });

  it('says that an import is being reverted, and does not offer to cancel that', async () => {
    const { headers } = await upload({ dry_run: 'false' }, 'email\nslow@example.com\n', 'slow.csv').expect(
      303,
    );
    const path = headers.location!;
    await ended(path);
    const setJob = (fields: string) =>
      world.database.query(`UPDATE jobs SET ${fields} WHERE id = $1`, [path.split('/').at(-1)]);
    await setJob(`kind = 'revert', status = 'running', leased_until = now() + interval '1 hour'`);
    const { text } = await editor.get(path).expect(200);
    expect(text).toContain('<span class="badge warn">reverting</span>');
    expect(text).not.toContain(`${path}/cancel`);
    await setJob(`kind = 'import', status = 'completed', leased_until = NULL`);
  });

  it('imports the file that was checked, once, with the options of the check', async () => {
    const fields = { dry_run: 'true', default_cause: 'complaint', name: 'Old list' };
    const { headers } = await upload(fields, 'email\nchecked@example.com\nnobody\n', 'list.csv').expect(303);
    const path = headers.location!;
    expect(await ended(path)).toContain('<button class="primary" type="submit">Import now');
    const viewer = await signIn(world, 'viewer');
    expect((await viewer.get(path).expect(200)).text).not.toContain('Import now');
    await deleteFilesOfEndedJobs();
    const imported = await editor.post(`${path}/import`).type('form').expect(303);
    const done = await ended(imported.headers.location!);
    expect(imported.headers.location).not.toBe(path);
    expect(done).toMatch(/<h1>Old list<.*Added<\/dt><dd><strong>1<.*Could not be read<\/dt><dd>1</s);
    const { body } = await world.as(world.alice).get('/suppressions/checked@example.com').expect(200);
    expect(body.origin).toBe('complaint');
    const again = await editor.post(`${path}/import`).type('form').expect(400);
    expect(again.text).toContain('Nothing was imported: the checked file is no longer stored');
    expect(again.text).toContain('To import it, choose the file again');
    expect(again.text).not.toContain('Import now');
    await deleteFilesOfEndedJobs();
    expect(await storedPieces()).toBe(0);
    const repeated = await upload(fields, 'email\nchecked@example.com\n', 'list.csv').expect(303);
    expect(await ended(repeated.headers.location!)).toContain('<button type="submit">Import now');
    await editor.post(`${repeated.headers.location!}/import`).type('form').expect(303);
  });

  it('keeps only the file of the latest check, for an hour, and imports no part of a file', async () => {
    const check = async (email: string) => {
      const { headers } = await upload({ dry_run: 'true' }, `email\n${email}\n`, 'x.csv').expect(303);
      await ended(headers.location!);
      await deleteFilesOfEndedJobs();
      return headers.location!;
    };
    const first = await check('first@example.com');
    const second = await check('second@example.com');
    expect(await storedPieces()).toBe(1);
    await editor.post(`${first}/import`).type('form').expect(400);
    const stranger = await signIn(world, 'editor', 'e@globex.example', 'globex');
    await stranger.post(`${second}/import`).type('form').expect(404);
    await world.database.query(
      `UPDATE jobs SET checkpoint = checkpoint || '{"pieces": 2}' WHERE leased_until > now()`,
    );
    await editor.post(`${second}/import`).type('form').expect(400);
    await world.database.query(
      `UPDATE jobs SET leased_until = now() - interval '1 second' WHERE leased_until > now()`,
    );
    expect(await ended(second)).not.toContain('Import now');
    await deleteFilesOfEndedJobs();
    expect(await storedPieces()).toBe(0);
    await world.as(world.alice).get('/suppressions/second@example.com').expect(404);
  });

  it.each([
    ['all', 'nobody\n'.repeat(8), ['Rows that', '2, 3, 4, 5, 6 and 3 more', 'all']],
    ['the first', 'nobody\n'.repeat(1_001), ['The first rows that', '2, 3, 4, 5, 6 and more', 'all']],
    [
      'the first values',
      Array.from({ length: 21 }, (_, n) => `nobody${n}\n`).join(''),
      ['The first rows that', '21', 'all'],
    ],
    [
      'those that are kept',
      'nobody\n'.repeat(10_001),
      ['The first rows that', '2, 3, 4, 5, 6 and more', 'the first 10,000'],
    ],
  ])('says which refused rows it shows: %s', async (_which, rows, [title, lines, download]) => {
    const { headers } = await upload({ dry_run: 'true' }, `email\n${rows}`, 'list.csv').expect(303);
    const page = await ended(headers.location!);
    expect(page).toContain(`<h2>${title} could not be read</h2>`);
    expect(page).toContain(`>${lines}</td>`);
    expect(page).toContain(`>Download ${download} as CSV</a>`);
  });

  it('names the formats of exports of this service', async () => {
    const { text } = await editor.get('/console/imports').expect(200);
    expect(text).toContain('<option value="export">Export of this service');
    expect(text).toMatch(/<option value="topic-export">Export of a topic\S+s opt-outs/);
  });

  it('asks for the file again if no row is valid', async () => {
    const { headers } = await upload({ dry_run: 'true', name: 'Old' }, 'email\nnobody\n', 'x.csv').expect(
      303,
    );
    const page = await ended(headers.location!);

    expect(page).toContain('No row is valid: see the problems below. Under “More options”, you can');
    expect(page).not.toContain('invalid_email');
    expect(page).toMatch(/Import the corrected file.*<option value="true" selected>.*value="Old"/s);
  });

  it('reads dates in the format that was chosen', async () => {
    const german = 'email,date\nold@example.com,03.04.2021\n';
    const { headers } = await upload({ dry_run: 'true' }, german, 'x.csv').expect(303);
    expect(await ended(headers.location!)).toContain('A date whose format must be chosen');
    const fields = { dry_run: 'false', date_format: 'dd.mm.yyyy', time_zone: '' };
    const imported = await upload(fields, german, 'x.csv').expect(303);
    await ended(imported.headers.location!);
    const { body } = await world.as(world.alice).get('/suppressions/old@example.com').expect(200);
    expect(body.created_at).toBe('2021-04-03T00:00:00.000Z');
  });

  it('says that a date may be refused because it is in the future', async () => {
    const planned = 'email,date\nada@example.com,2099-01-15\n';
    const { headers } = await upload({ dry_run: 'true' }, planned, 'x.csv').expect(303);
    const page = await ended(headers.location!);
    expect(page).toContain('<td data-label="Problem">Not a date, or too far in the future</td>');
  });

  it('imports opt-outs of a topic', async () => {
    const topic = { name: 'News', default_subscription: 'opt_in' };
    await world.as(world.alice).post('/topics').send(topic).expect(201);
    expect((await editor.get('/console/imports').expect(200)).text).toContain('<option value="news">News');
    const fields = { dry_run: 'true', topic: 'news' };
    const checked = await upload(fields, 'email\nreader@example.com\n', 'list.csv').expect(303);
    expect(await ended(checked.headers.location!)).toMatch(
      /Opt-outs of<\/dt><dd><a[^>]*>News<.*<option value="news" selected>/s,
    );
    const imported = await upload(
      { ...fields, dry_run: 'false' },
      gzipSync('email\nreader@example.com\n'),
      'LIST.CSV.GZ',
    ).expect(303);
    await ended(imported.headers.location!);
    await world.as(world.alice).get('/suppressions/reader@example.com').expect(404);
    const { text } = await editor.get('/console?q=reader@example.com').expect(200);
    expect(text).toContain('May be mailed, but not about News, because an opt-out is stored.');
    await world.as(world.alice).delete('/topics/news').expect(200);
    const { text: page } = await editor.get(imported.headers.location!).expect(200);
    expect(page).toContain('Opt-outs of</dt><dd>News (archived)<');
  });

  it('says what to do about a form that is not its own', async () => {
    const send = () => editor.post('/console/imports');
    await send()
      .attach('list', Buffer.from(FILE), { filename: 'a.csv' })
      .expect(400)
      .expect(/Send one file, in the field of the form for it\./);
    await send()
      .field('name', 'x'.repeat(3_000))
      .expect(400)
      .expect(/A field of the form is too long\. Shorten it/);
    await upload({ dry_run: 'false' }, 'email\nearly@example.com\n', 'early.csv')
      .field('name', 'A field after the file')
      .expect(400)
      .expect(/Send one file, in the field of the form for it\./);
    expect((await editor.get('/console/imports').expect(200)).text).not.toContain('early.csv');
    await send()
      .set('Content-Type', 'multipart/form-data; boundary=b')
      .send('--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\ncut off')
      .expect(400)
      .expect(/The form did not arrive completely\. Choose the file again/);
  });

  it('takes a file that gzip has compressed', async () => {
    const { headers } = await upload(
      { dry_run: 'true' },
      gzipSync(FILE),
      'suppression_bounces.csv.gz',
    ).expect(303);
    expect(await ended(headers.location!)).toMatch(/Rows read<\/dt><dd>3</);
  });

  it('says what is wrong with a file, and keeps what was chosen', async () => {
    const { text } = await upload(
      { dry_run: 'false', name: 'From support' },
      'Colour,Size\nred,1\n',
      'x.csv',
    ).expect(422);
    expect(text).toContain(
      'No format has the columns: Colour, Size. Choose the format, or name the columns, under &quot;More options&quot;.',
    );
    expect(text).toContain('value="From support"');
    await upload({ dry_run: 'true' }, 'email,topic,subscription,created_at\n', 'x.csv')
      .expect(422)
      .expect(/The file has opt-outs of a topic\. Choose the topic under &quot;More options&quot;\.</);
    await upload({ dry_run: 'true', format: 'csv' }, 'email,Recipient\n', 'x.csv')
      .expect(422)
      .expect(/: email, Recipient\. Name the columns under &quot;More options&quot;\.</);
    await editor
      .post('/console/imports')
      .field({ dry_run: 'true' })
      .expect(400)
      .expect(/Choose a file/);
    await editor
      .post('/console/imports')
      .expect(400)
      .expect(/Choose a file/);
    await upload({ dry_run: 'true' }, '', 'x.csv')
      .expect(422)
      .expect(/The file is empty\.</);
    await upload({ dry_run: 'perhaps' }, FILE, 'x.csv')
      .expect(400)
      .expect(/“What to do” must be true or false/);
  });

  it.each([
    ['a binary file', 'lists.bin', randomBytes(300_000)],
    ['a small file in another encoding', 'latin1.csv', Buffer.from('email\nzoë@example.com\n', 'latin1')],
    ['a file with unknown columns', 'x.csv', Buffer.from(`Colour,Size\n${'red,1\n'.repeat(400_000)}`)],
    [
      'a damaged archive',
      'list.csv.gz',
      Buffer.concat([gzipSync(FILE).subarray(0, 40), randomBytes(300_000)]),
    ],
  ])('refuses %s', async (_what, filename, file) => {
    await upload({ dry_run: 'true' }, file, filename)
      .expect(422)
      .expect(/role="alert"/);
  });

  it('says what to do with gzip that has another name, and with a ZIP archive', async () => {
    await upload({ dry_run: 'true' }, gzipSync(FILE), 'list.csv')
      .expect(422)
      .expect(
        /the file is compressed\. Unpack it, let its name end in \.gz at the command line or in the console, or /,
      );
    await upload({ dry_run: 'true' }, 'PK\u0003\u0004', 'lists.zip')
      .expect(422)
      .expect(/Unpack an archive, or use the command suppressions import with a name that ends in \.zip\./);
  });

  it('escapes a hostile file name and hostile values', async () => {
    const name = `<img src=x onerror=alert(1)>.csv`;
    const { headers } = await upload(
      { dry_run: 'true' },
      `email\n"<script>alert(1)</script>"\n`,
      name,
    ).expect(303);
    const page = await ended(headers.location!);
    expect(page).toContain('&lt;script');
    expect(page).not.toMatch(/<img|<script>/);
    expect((await editor.get('/console/imports').expect(200)).text).not.toMatch(/<img|<script>/);
  });

  it('shows nothing of another account', async () => {
    await suppress(world, world.alice, ['x@example.com']);
    const { headers } = await upload({ dry_run: 'true' }, FILE, 'suppression_bounces.csv').expect(303);
    const stranger = await signIn(world, 'editor', 'e@globex.example', 'globex');
    await stranger.get(headers.location!).expect(404);
    await stranger.get(`${headers.location!}/errors`).expect(404);
    await stranger.get(`${headers.location!}/revert`).expect(404);
    await stranger.post(`${headers.location!}/revert`).expect(404);
    expect((await stranger.get('/console/imports').expect(200)).text).toContain('No imports yet.');
  });
});

describe('the script that shows the progress', () => {
  const page = (isRunning: boolean) => ({ id: 'progress', dataset: isRunning ? { running: '' } : {} });
  const withStatus = (status: number) => async () => new Response('', { status });
  const unreachable = () => Promise.reject(new TypeError('Failed to fetch'));

  /** Runs the script while the service answers so, until it no longer asks. */
  async function run(answers: (() => Promise<Response>)[], isStillRunning = true, isRefused = false) {
    const pauses: number[] = [];
    const timers: (() => Promise<void>)[] = [];
    const left = [...answers];
    let reloads = 0;
    let replacement: string | undefined;
    runInNewContext(SCRIPT.text, {
      addEventListener: () => undefined,
      document: {
        addEventListener: () => undefined,
        querySelector: (selector: string) =>
          selector === '[role="alert"]' && !isRefused
            ? null
            : { ...page(true), replaceWith: () => undefined },
      },
      location: {
        href: '/console/imports/1',
        reload: () => reloads++,
        replace: (url: string) => (replacement = url),
      },
      fetch: () => left.shift()!(),
      DOMParser: class {
        parseFromString = () => ({ getElementById: () => page(isStillRunning) });
      },
      setTimeout: (callback: () => Promise<void>, pause: number) => {
        pauses.push(pause);
        timers.push(callback);
      },
    });
    while (left.length > 0 && timers.length > 0) {
      await timers.shift()!();
    }
    return {
      pauses,
      reloads,
      ...(replacement !== undefined && { replacement }),
      asksAgain: timers.length > 0,
    };
  }

  it('asks every second, and reloads the page at the end', async () => {
    const ok = withStatus(200);
    expect(await run([ok, ok])).toEqual({ pauses: [1_000, 1_000, 1_000], reloads: 0, asksAgain: true });
    expect(await run([ok], false)).toEqual({ pauses: [1_000], reloads: 1, asksAgain: false });
  });

  it('sends no form again, whether its path has a page or leads to another one', async () => {
    const answer = (redirected: boolean) => async () =>
      Object.defineProperties(new Response(''), {
        redirected: { value: redirected },
        url: { value: '/console/imports/1' },
      });
    const replaced = { reloads: 0, replacement: '/console/imports/1', asksAgain: false };
    expect(await run([answer(true)], false)).toMatchObject(replaced);
    expect(await run([answer(false)], false, true)).toMatchObject(replaced);
  });

  it.each([401, 403, 404])('reloads the page on %s, so that it does not look alive', async (status) => {
    expect(await run([withStatus(status)])).toEqual({ pauses: [1_000], reloads: 1, asksAgain: false });
  });

  it.each([
    ['429', withStatus(429)],
    ['503', withStatus(503)],
    ['an unreachable service', unreachable],
  ])('asks less and less often on %s, and every second again afterwards', async (_what, answer) => {
    const { pauses, reloads } = await run([...Array.from({ length: 6 }, () => answer), withStatus(200)]);
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 1_000]);
    expect(reloads).toBe(0);
  });
});

describe('the script that sends a form once', () => {
  type Listener = (event: object) => void;

  /** Runs the script on a page. */
  function run() {
    const listeners: Record<string, Listener> = {};
    const addEventListener = (type: string, listener: Listener) => (listeners[type] = listener);
    const timers: (() => void)[] = [];
    runInNewContext(SCRIPT.text, {
      addEventListener,
      document: { addEventListener },
      setTimeout: (callback: () => void) => timers.push(callback),
    });
    const submit = (target: object): boolean => {
      let isSent = true;
      listeners['submit']!({ target, preventDefault: () => (isSent = false) });
      return isSent;
    };
    const show = (persisted: boolean) => listeners['pageshow']!({ persisted });
    return { submit, show, endPause: () => timers.at(-1)!() };
  }

  it('ignores a second submission, until the response is overdue or the page is shown again', () => {
    const { submit, show, endPause } = run();
    const [form, other] = [{ method: 'post' }, { method: 'post' }];
    expect([submit(form), submit(form), submit(other)]).toEqual([true, false, true]);
    show(false);
    expect(submit(form)).toBe(false);
    show(true);
    expect([submit(form), submit(form)]).toEqual([true, false]);
    endPause();
    expect(submit(form)).toBe(true);
  });

  it('lets somebody search again at once', () => {
    const { submit } = run();
    const form = { method: 'get' };
    expect([submit(form), submit(form)]).toEqual([true, true]);
  });
});
