import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { Response } from 'supertest';
import { MAX_FILE_BYTES } from '../../src/files/file-limits.js';
import { PayloadTooLargeError } from '../../src/http/errors/body-errors.js';
import { checkInChunks } from '../../src/scrubs/checked-rows.js';
import { readFirstRow } from '../../src/scrubs/recipient-file.js';
import { ScrubSweep } from '../../src/scrubs/scrub-sweep.js';
import { ScrubsService } from '../../src/scrubs/scrubs.service.js';
import { importFile } from '../support/imports.js';
import { OPERATOR } from '../support/operator.js';
import { until } from '../support/until.js';
import { createWorld, suppress, withNewAccounts, type World } from '../support/world.js';

describe('POST /scrubs', () => {
  let service: World;
  let world: World;
  beforeAll(async () => (service = await createWorld()));
  beforeEach(async () => {
    world = await withNewAccounts(service);
    await importFile(world, world.alice, 'email,cause\nada@example.com,complaint\ngone@example.com,bounce\n');
  });
  afterAll(() => service.close());

  function scrub(
    file: string | Buffer,
    query: Record<string, string> = {},
    key = world.bob,
    headers = {},
  ): Promise<IncomingMessage> {
    const request = httpRequest(`${world.url}/scrubs?${new URLSearchParams(query)}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'text/csv', ...headers },
    });
    request.end(file);
    return once(request, 'response').then(([response]) => response as IncomingMessage);
  }

  const countsOf = async (response: IncomingMessage | Response) =>
    (
      await world
        .as(world.bob)
        .get(`/scrubs/${response.headers['scrub-id'] as string}`)
        .expect(200)
    ).body;

  it('returns the file byte for byte, without the rows that must not be mailed', async () => {
    const kept = Buffer.from(
      '\ufeffName;E-Mail\r\n"Zoë; ""Z""";zoe@example.com\r\n\r\nLatin \xe9;new@example.com\n',
    );
    const latin = Buffer.concat([kept.subarray(0, -18), Buffer.from([0xe9]), kept.subarray(-18)]);
    const dropped = Buffer.from('Ada;ADA@example.com\r\n"two\nlines";gone@example.com\nNobody;nobody\n');
    const last = Buffer.from('"last\nrow";last@example.com');
    const response = await scrub(Buffer.concat([latin, dropped, last]));
    expect(response.statusCode).toBe(200);
    expect(await buffer(response)).toEqual(Buffer.concat([latin, last]));
    expect(await countsOf(response)).toMatchObject({
      object: 'scrub',
      status: 'completed',
      rows: 6,
      send: 3,
      suppressed: 2,
      invalid: 1,
    });
  });

  it.each(['utf-16le', 'utf-16be'])('returns a file of %s in the same encoding', async (encoding) => {
    const encode = (content: string) => {
      const bytes = Buffer.from(`\ufeff${content}`, 'utf16le');
      return encoding === 'utf-16be' ? bytes.swap16() : bytes;
    };
    const header = 'Name\tE-Mail\r\n';
    const rows = 'Zoë 😀\tzoe@example.com\r\n'.repeat(3_000);
    const kept = await buffer(await scrub(encode(`${header}${rows}Ada\tada@example.com\r\n${rows}`)));
    expect(kept.equals(encode(header + rows + rows))).toBe(true);
    const annotated = await scrub(encode(`${header}Ada\tada@example.com`), { mode: 'annotate' });
    expect(await buffer(annotated)).toEqual(
      encode('Name\tE-Mail\tverdict\tcause\r\nAda\tada@example.com\tsuppressed\tcomplaint'),
    );
  });

  it('refuses damaged UTF-16, and names the line', async () => {
    const response = await scrub(Buffer.from('\ufeffemail\r\na@example.com\r\n\ud800', 'utf16le'));
    expect(response.statusCode).toBe(422);
    expect(JSON.parse(await text(response)).message).toMatch(/^Line 3: /);
  });

  it('annotates every row', async () => {
    const file = 'email,name\r\nada@example.com,Ada\r\n\r\nnobody,"No, body"\nnew@example.com,New';
    expect(await text(await scrub(file, { mode: 'annotate' }))).toBe(
      'email,name,verdict,cause\r\nada@example.com,Ada,suppressed,complaint\r\n\r\nnobody,"No, body",invalid,\nnew@example.com,New,send,',
    );
  });

  it.each([
    ['email,name\nada@example.com\n', 'email,name,verdict,cause\nada@example.com,,suppressed,complaint\n'],
    ['name,email\nNobody\r\n', 'name,email,verdict,cause\nNobody,,invalid,\r\n'],
    [
      '\ufeff"Name, first",email\n"A, ""B""" ,new@example.com,"more, and",more\r\n',
      '\ufeff"Name, first",email,verdict,cause\n"A, ""B""" ,new@example.com,send,,"more, and",more\r\n',
    ],
    [
      'name,email\n"A, B"\r,new@example.com,more\n',
      'name,email,verdict,cause\n"A, B"\r,new@example.com,invalid,,more\n',
    ],
  ])('adds the verdict in its column, whatever the length of a row: %j', async (file, annotated) => {
    expect((await buffer(await scrub(file, { mode: 'annotate' }))).toString()).toBe(annotated);
  });

  it.each(['\n \r\n', '\ufeff\r\n'])('reads the header below empty lines: %j', async (empty) => {
    const file = `${empty}name,email\nAda,ada@example.com\nNew,new@example.com\n`;
    const response = await scrub(file);
    expect(await text(response)).toBe(`${empty.replace('\ufeff', '')}name,email\nNew,new@example.com\n`);
    expect(await countsOf(response)).toMatchObject({ rows: 2, send: 1, suppressed: 1, invalid: 0 });
    expect(await text(await scrub(file, { mode: 'annotate' }))).toContain('\nname,email,verdict,cause\nAda');
    expect(await text(await scrub(`${empty}new@example.com\ngone@example.com\n`))).not.toContain('gone');
  });

  it.each(['', '\ufeff'])('reads a header with a line break inside quotation marks: %j', async (bom) => {
    const header = `${bom}"E-Mail\nAddress";Name`;
    const file = `${header}\nada@example.com;Ada\nnew@example.com;New\n`;
    const bytesOf = async (query = {}) => (await buffer(await scrub(file, query))).toString();
    expect(await bytesOf()).toBe(`${header}\nnew@example.com;New\n`);
    expect(await bytesOf({ mode: 'annotate' })).toBe(
      `${header};verdict;cause\nada@example.com;Ada;suppressed;complaint\nnew@example.com;New;send;\n`,
    );
  });

  it('reads one address a line', async () => {
    expect(await text(await scrub('new@example.com\ngone@example.com\n"a b"@example.com\n'))).toBe(
      'new@example.com\n"a b"@example.com\n',
    );
    expect(await text(await scrub('gone@example.com', { mode: 'annotate' }))).toBe(
      'gone@example.com,suppressed,bounce',
    );
  });

  it('reads quoted addresses, one a line', async () => {
    expect(await text(await scrub('"new@example.com"\r\n"gone@example.com"\r\n'))).toBe(
      '"new@example.com"\r\n',
    );
  });

  it('reads addresses with the names of their owners', async () => {
    const column = 'email\n"""New, N"" <new@example.com>"\n"""Ada, A"" <ada@example.com>"\n';
    expect(await text(await scrub(column))).toBe('email\n"""New, N"" <new@example.com>"\n');
    const lines = '"Zoë, Z" <new@example.com>\nAda <ada@example.com>\nnew@example.com <gone@example.com>\n';
    const response = await scrub(lines);
    expect(await text(response)).toBe('"Zoë, Z" <new@example.com>\n');
    expect(await countsOf(response)).toMatchObject({ send: 1, suppressed: 1, invalid: 1 });
  });

  it('shows a scrub whose instance was killed as failed after its time limit', async () => {
    const response = await scrub('ada@example.com\n');
    await text(response);
    await world.database.query(
      `UPDATE scrubs SET status = 'running', created_at = now() - interval '61 minutes'`,
    );
    expect(await countsOf(response)).toMatchObject({
      status: 'failed',
      problem: 'The service stopped before the end of the file. Send it again.',
    });
  });

  it.each(['E-Mail', 'Email Address', 'mail', 'Recipient'])('recognizes the column %s', async (column) => {
    const header = `Name,${column}\n`;
    expect(await text(await scrub(`${header}Ada,ada@example.com\n`))).toBe(header);
  });

  it('takes the column that the caller names, and refuses a file without one', async () => {
    const file = 'Customer,Contact\n1,ada@example.com\n2,new@example.com\n';
    expect(await text(await scrub(file, { column: 'contact' }))).toBe(
      'Customer,Contact\n2,new@example.com\n',
    );
    const refused = await scrub(file);
    expect(refused.statusCode).toBe(422);
    expect(JSON.parse(await text(refused))).toMatchObject({ code: 'unknown_email_column' });
  });

  it('does not repeat a column that may be an address', async () => {
    const file = 'Customer,Contact\n1,ada@example.com\n';
    const { message } = JSON.parse(await text(await scrub(file, { column: 'grace@example.com' })));
    expect(message).toBe('There is no column with this name. The first line has: Customer, Contact.');
    const other = JSON.parse(await text(await scrub(file, { column: ' ' })));
    expect(other.message).toMatch(/^There is no column " "\./);
  });

  it('finds a column whose name is in Latin-1', async () => {
    const file = Buffer.from(
      'Empf\xe4nger;Ort\nada@example.com;M\xfcnchen\nnew@example.com;K\xf6ln\n',
      'latin1',
    );
    const kept = await buffer(await scrub(file, { column: 'Empfänger' }));
    expect(kept.toString('latin1')).toBe('Empf\xe4nger;Ort\nnew@example.com;K\xf6ln\n');
  });

  it('finds the delimiter outside quotation marks', async () => {
    const header = '"E-Mail";"Name, Vorname"\n';
    expect(await text(await scrub(`${header}"ada@example.com";"Lovelace, Ada"\n`))).toBe(header);
    const unquoted = 'E-Mail;Name, Vorname\n';
    expect(await text(await scrub(`${unquoted}ada@example.com;Lovelace, Ada\n`))).toBe(unquoted);
    const named = 'E-Mail, privat;Name, Vorname\n';
    const file = `${named}ada@example.com;Lovelace, Ada\n`;
    expect(await text(await scrub(file, { column: 'E-Mail, privat' }))).toBe(named);
  });

  it.each<[what: string, file: string, advice: string, query?: Record<string, string>]>([
    [
      'a header that ends in CR alone',
      'email,name\rada@example.com,Ada\nbob@example.com,Bob\n',
      'end in CR alone',
    ],
    ['two columns of addresses', 'email,recipient\nada@example.com,bob@example.com\n', 'email, recipient'],
    ['two columns of one name', 'email,email\nnew@example.com,gone@example.com\n', 'Rename all but one'],
    [
      'two columns of the name that is asked for',
      'E-Mail,email\nnew@example.com,gone@example.com\n',
      'Rename all but one',
      { column: 'email' },
    ],
    ['lines that end in CR alone', 'ada@example.com\rbob@example.com\r', 'end in CR alone'],
    [
      'a BOM and an empty line above such a header',
      '\ufeff\nemail,name\rada@example.com,Ada\nbob@example.com,Bob\n',
      'end in CR alone',
    ],
    ['a first line for Excel', 'sep=;\nemail;name\nnew@example.com;New\n', 'only for Excel. Delete it'],
    ['a first line of delimiters', ';;\nemail;name;id\nnew@example.com;New;1\n', 'no names. Delete it'],
    [
      'text behind a quoted name',
      '\n\n"email" 1,name\nnew@example.com,New\n',
      'Line 3: text follows a closing',
    ],
    ['an empty file', '', 'Send the recipients as the body'],
    ['NDJSON', '{"email":"new@example.com"}\n', 'not JSON'],
    ['JSON', '\ufeff [\n{"email":"new@example.com"}]', 'not JSON'],
    ['lines that curl -d joined', 'email,nameada@example.com,Adanew@example.com,New', '--data-binary'],
    [
      'columns that are to be added',
      'email,Verdict,name,cause\nada@example.com,send,Ada,x\n',
      'Verdict, cause. Rename or delete them',
      { mode: 'annotate' },
    ],
    ['a CSV without a header', 'ada@example.com,Ada\n', 'Add a header that names the columns'],
  ])('says what to do about %s', async (_what, file, advice, query = {}) => {
    const refused = await scrub(file, query);
    expect(refused.statusCode).toBe(422);
    expect(JSON.parse(await text(refused)).message).toContain(advice);
  });

  it('refuses a file without a valid address, and says why', async () => {
    const refused = await scrub('email,name\nAda,a\n\n,b\nx@y@example.com,c\nEve,d\n');
    expect(refused.statusCode).toBe(422);
    expect(JSON.parse(await text(refused))).toMatchObject({
      code: 'no_valid_address',
      message:
        'No row has a valid address. Line 2: the address must contain an @. Line 4: there is no address. Line 5: the address must ' +
        'be one address alone: name@domain, without spaces, brackets or commas. If the addresses are in another column, name it with `column`.',
    });
    const latin1 = await scrub(Buffer.from('email\nm\u00fcller@example.com\n', 'latin1'));
    expect(JSON.parse(await text(latin1)).message).toContain('Line 2: the address must be in UTF-8');
    const returns = await scrub('email,name\r\nada@example.com,Ada\rgrace@example.com,Grace\r');
    expect(JSON.parse(await text(returns)).message).toMatch(
      /Save the file with lines that end in LF or CRLF\.$/,
    );
    const lines = await scrub('a@b@example.com\n');
    expect(JSON.parse(await text(lines)).message).toMatch(
      /^No row has a valid address\. Line 1: .*commas\.$/,
    );
    expect(await text(await scrub('email,name\nAda,a\n', { mode: 'annotate' }))).toContain(
      '\nAda,a,invalid,',
    );
    expect(await text(await scrub('email,name\n'))).toBe('email,name\n');
    expect(await text(await scrub('email\ngone@example.com\nnobody\n'))).toBe('email\n');
  });

  it('returns a file whose first valid address comes late, and cuts the connection if none comes', async () => {
    const rows = 'nobody,x\n'.repeat(9_000);
    const whole = await scrub(`email,name\n${rows}new@example.com,y\n`);
    expect(await text(whole)).toBe('email,name\nnew@example.com,y\n');
    expect(await countsOf(whole)).toMatchObject({ status: 'completed', invalid: 9_000, send: 1 });
    const cut = await scrub(`email,name\n${rows}`);
    await expect(text(cut)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await countsOf(cut)).toMatchObject({
      status: 'failed',
      problem: expect.stringContaining('No row has a valid address. Line 2:'),
    });
  });

  it('treats rows that only CR separates as an invalid one', async () => {
    const response = await scrub(
      'email,name\r\nnew@example.com,a\rada@example.com,b\r\nother@example.com,c\r\n',
    );
    expect(await text(response)).toBe('email,name\r\nother@example.com,c\r\n');
    expect(await countsOf(response)).toMatchObject({ send: 1, invalid: 1 });
  });

  it('treats them as an invalid one beside quotation marks, but not if the CR is inside them', async () => {
    const header = 'name,email,city\n';
    const kept = '"Doe,\rA",a@example.com,Oslo\n"a ""b""\rc",b@example.com,"5"" pipe\r"\n';
    const hidden = '"Doe, A",new@example.com,Oslo\rBob,gone@example.com,Rome\n';
    const pipes = '5" pipe,new@example.com,a\r6" pipe,gone@example.com,b\n';
    const empty = ',new@example.com,"Oslo"\r,gone@example.com,\n';
    const response = await scrub(header + hidden + kept + pipes + empty);
    expect(await text(response)).toBe(header + kept);
    expect(await countsOf(response)).toMatchObject({ send: 2, invalid: 3 });
  });

  it('agrees with the list and with the check for each of many recipients', async () => {
    const emails = Array.from({ length: 5_500 }, (_, index) => `user${index}@example.com`);
    const listed = emails.filter((_, index) => index % 3 === 0).slice(0, 1_000);
    for (let first = 0; first < listed.length; first += 100) {
      await suppress(world, world.alice, listed.slice(first, first + 100));
    }
    const whole = await scrub(`email\n${emails.join('\n')}\n`);
    const kept = (await text(whole)).trimEnd().split('\n').slice(1);
    expect(kept).toEqual(emails.filter((email) => !listed.includes(email)));
    expect(await countsOf(whole)).toMatchObject({ rows: 5_500, send: 4_500, suppressed: 1_000 });
  });

  it('reads gzip if the request says so, and refuses it as text', async () => {
    const file = gzipSync('email\nada@example.com\nnew@example.com\n');
    const response = await scrub(file, {}, world.bob, { 'Content-Encoding': 'gzip' });
    expect(await text(response)).toBe('email\nnew@example.com\n');
    const refused = await scrub(file);
    expect(JSON.parse(await text(refused))).toMatchObject({ statusCode: 422, code: 'unreadable_file' });
  });

  it('refuses gzip that expands to many times its size, in empty lines', async () => {
    const file = gzipSync(`email\nnew@example.com\n${'\n'.repeat(10_000_000)}`);
    const response = await scrub(file, {}, world.bob, { 'Content-Encoding': 'gzip' });
    expect(response.statusCode).toBe(422);
    expect(await text(response)).toContain('expands to more than 100 times its size');
  });

  it('cuts the connection at gzip that expands to many times its size, in rows', async () => {
    const file = gzipSync(`email\n${'a\n'.repeat(10_000_000)}`);
    const response = await scrub(file, {}, world.bob, { 'Content-Encoding': 'gzip' });
    await expect(text(response)).rejects.toThrow();
    const { rows, ...scrubbed } = await countsOf(response);
    expect(scrubbed).toMatchObject({
      status: 'failed',
      problem: expect.stringContaining('expands to more than 100 times its size'),
    });
    expect(rows).toBeLessThan(2_000_000);
  });

  it('refuses a fifth scrub of an account until one ends', async () => {
    const begin = async () => {
      const request = httpRequest(`${world.url}/scrubs`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${world.bob}`, 'Content-Type': 'text/csv' },
      });
      request.on('error', () => undefined);
      request.write(`email\n${'new@example.com\n'.repeat(10_000)}`);
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      return { request, response };
    };
    const scrubs = [await begin(), await begin(), await begin(), await begin()];
    expect(scrubs.map(({ response }) => response.statusCode)).toEqual([200, 200, 200, 200]);
    const refused = await scrub('new@example.com\n');
    expect(refused.statusCode).toBe(429);
    expect(JSON.parse(await text(refused))).toMatchObject({ code: 'too_many_open_requests' });
    expect((await scrub('new@example.com\n', {}, world.charlie)).statusCode).toBe(200);
    const [ended, cut, ...others] = scrubs;
    ended!.request.end();
    await text(ended!.response);
    cut!.request.destroy();
    await until(async () => (await scrub('new@example.com\n')).statusCode === 200);
    const again = await begin();
    expect(again.response.statusCode).toBe(200);
    [...others, again].forEach(({ request }) => request.destroy());
  });

  it('does not count requests whose callers left before they were identified', async () => {
    const arrived: IncomingMessage[] = [];
    const server = world.app.getHttpServer() as Server;
    const remember = (request: IncomingMessage) => arrived.push(request);
    server.on('request', remember);
    const lock = await world.database.lock('api_keys');
    const requests = Array.from({ length: 4 }, () => {
      const request = httpRequest(`${world.url}/scrubs`, {
        agent: false,
        method: 'POST',
        headers: { Authorization: `Bearer ${world.bob}`, 'Content-Type': 'text/csv' },
      });
      request.on('error', () => undefined);
      request.write('email\n');
      return request;
    });
    await until(() => arrived.length === 4);
    await world.database.untilWaiting();
    requests.forEach((request) => request.destroy());
    await until(() => arrived.every(({ socket }) => socket.closed));
    server.off('request', remember);
    await lock.release();
    expect((await scrub('new@example.com\n')).statusCode).toBe(200);
  });

  it('holds few rows at once if they are long', async () => {
    const row = `"${'x'.repeat(100_000)}",new@example.com\n`;
    async function* texts() {
      yield 'name,email\n';
      yield* Array.from({ length: 100 }, () => row);
    }
    const file = readFirstRow('name,email\n', undefined, []);
    for await (const { rows } of checkInChunks(texts(), file, async () => [])) {
      expect(rows.length).toBeLessThanOrEqual(12);
    }
  });

  it('reads a file in a form', async () => {
    const file = Buffer.from('email\nada@example.com\nnew@example.com\n');
    const post = () => world.as(world.bob).post('/scrubs');
    const { text: kept, headers } = await post().attach('file', file, 'campaign.csv').expect(200);
    expect(kept).toBe('email\nnew@example.com\n');
    expect(headers['content-type']).toBe('text/csv');
    const zipped = gzipSync(file);
    expect((await post().attach('file', zipped, 'campaign.csv.gz').expect(200)).text).toBe(kept);
    const { body } = await post().attach('file', file, 'a.csv').field('mode', 'annotate').expect(400);
    expect(body.message).toMatch(/^The form has a field "mode"\./);
  });

  it('counts the opt-outs of a topic', async () => {
    const { body: topic } = await world
      .as(world.alice)
      .post('/topics')
      .send({ name: 'News', default_subscription: 'opt_in' })
      .expect(201);
    await world
      .as(world.alice)
      .patch('/contacts/new@example.com/topics')
      .send([{ id: topic.id, subscription: 'opt_out' }])
      .expect(200);
    expect(await text(await scrub('new@example.com\n'))).toBe('new@example.com\n');
    expect(await text(await scrub('new@example.com\nother@example.com\n', { topic: 'news' }))).toBe(
      'other@example.com\n',
    );
    const unknown = await scrub('new@example.com\n', { topic: 'unknown' });
    expect(unknown.statusCode).toBe(404);
  });

  it('passes unsubscribes if the mail is transactional, for a key that may check that', async () => {
    const unsubscribe = { type: 'unsubscribe', email: 'left@example.com' };
    await world.as(world.alice).post('/events').send(unsubscribe).expect(200);
    const file = 'left@example.com\nlast@example.com\n';
    const transactional = { transactional: 'true' };
    expect(await text(await scrub(file))).not.toContain('left@example.com');
    expect(await text(await scrub(file, { transactional: 'false' }))).not.toContain('left@example.com');
    expect(await text(await scrub(file, transactional, world.alice))).toContain('left@example.com');
    expect((await scrub(file, transactional, world.bob)).statusCode).toBe(401);
    for (const query of [{ ...transactional, topic: 'news' }, { transactional: 'yes' }]) {
      expect((await scrub(file, query, world.alice)).statusCode).toBe(400);
    }
  });

  it('refuses the types of JSON', async () => {
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const refused = await scrub('{"email":"new@example.com"}\n', {}, world.bob, headers);
    expect(refused.statusCode).toBe(415);
    expect(JSON.parse(await text(refused)).message).toContain('Content-Type text/csv or text/plain,');
  });

  it('cuts the connection at a mistake in the file, and says which line', async () => {
    const rows = Array.from({ length: 4_000 }, (_, index) => `user${index}@example.com,x\n`).join('');
    const response = await scrub(`email,name\n${rows}"broken" here,x\n`);
    await expect(text(response)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await countsOf(response)).toMatchObject({
      status: 'failed',
      problem: expect.stringContaining('Line 4002:'),
    });
  });

  it('says that a form did not arrive completely', async () => {
    const part = 'Content-Disposition: form-data; name="file"; filename="a.csv"';
    const { body } = await world
      .as(world.alice)
      .post('/scrubs')
      .type('multipart/form-data; boundary=b')
      .send(`--b\r\n${part}\r\n\r\nemail\nnew@example.com\n`)
      .expect(400);
    expect(body.message).toContain('did not arrive completely');
    const [last] = await world.database.query(
      'SELECT status, problem FROM scrubs ORDER BY created_at DESC LIMIT 1',
    );
    expect(last).toEqual({ status: 'failed', problem: body.message });
  });

  it('says that a file is too large, also if its length was not known before', async () => {
    const id = randomUUID();
    async function* file() {
      yield Buffer.from('email\nnew@example.com\n');
      throw new PayloadTooLargeError(MAX_FILE_BYTES);
    }
    const scrubbed = world.app
      .get(ScrubsService)
      .scrub(
        { accountId: world.acme.id, actor: OPERATOR },
        { id, file: file(), unread: new AbortController().signal },
        { mode: 'filter', column: undefined, purpose: { type: 'any' } },
      );
    await expect(text(scrubbed)).rejects.toThrow();
    const { body } = await world.as(world.bob).get(`/scrubs/${id}`).expect(200);
    expect(body).toMatchObject({
      status: 'failed',
      problem: expect.stringContaining('larger than 1024 MiB'),
    });
  });

  it('cuts the connection if the client reads nothing while it sends', async () => {
    const accepted = once(world.app.getHttpServer() as Server, 'connection');
    const client = connect(Number(new URL(world.url).port));
    client.on('error', () => undefined).pause();
    const [socket] = (await accepted) as [Socket];
    const rows = `user@example.com,${'x'.repeat(1_000)}\n`.repeat(50_000);
    client.write(
      `POST /scrubs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.bob}\r\nContent-Type: text/csv\r\n` +
        `Content-Length: ${rows.length + 11}\r\n\r\nemail,name\n${rows}`,
    );
    await until(() => socket.timeout === 30_000);
    await until(() => socket.emit('timeout') && socket.destroyed);
    await until(async () => {
      const [row] = await world.database.query('SELECT status, problem FROM scrubs WHERE account_id = $1', [
        world.acme.id,
      ]);
      return row!.status === 'failed' && /reads while it sends/.test(row!.problem);
    });
    client.destroy();
  });

  it('ends if its client closes the connection before the end of the file', async () => {
    const client = connect(Number(new URL(world.url).port));
    const file = `email\n${'new@example.com\n'.repeat(10_000)}`;
    client.write(
      `POST /scrubs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.bob}\r\nContent-Type: text/csv\r\n` +
        `Content-Length: ${file.length + 1}\r\n\r\n${file}`,
    );
    client.on('error', () => undefined);
    await once(client, 'data');
    client.end();
    await until(async () => {
      const [row] = await world.database.query('SELECT status FROM scrubs WHERE account_id = $1', [
        world.acme.id,
      ]);
      return row!.status === 'failed';
    });
    client.destroy();
  });

  it('ends if its client closes the connection before the first row is checked', async () => {
    const { release } = await world.database.lock('suppressions');
    const client = connect(Number(new URL(world.url).port));
    const file = `email\n${'new@example.com\n'.repeat(3_000)}`;
    client.end(
      `POST /scrubs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.bob}\r\nContent-Type: text/csv\r\n` +
        `Content-Length: ${file.length + 1}\r\n\r\n${file}`,
    );
    const response = text(client);
    await world.database.untilWaiting();
    expect(await response).toMatch(/^HTTP\/1\.1 400 /);
    await release();
    await until(async () => {
      const [row] = await world.database.query('SELECT status FROM scrubs WHERE account_id = $1', [
        world.acme.id,
      ]);
      return row!.status === 'failed';
    }, 5_000);
  });

  it('waits for a client that pauses while it sends', async () => {
    const accepted = once(world.app.getHttpServer() as Server, 'connection');
    const request = httpRequest(`${world.url}/scrubs`, {
      agent: false,
      method: 'POST',
      headers: { Authorization: `Bearer ${world.bob}`, 'Content-Type': 'text/csv' },
    });
    request.write('email\n');
    const [socket] = (await accepted) as [Socket];
    await until(() => socket.timeout === 30_000);
    socket.emit('timeout');
    request.end('new@example.com\n');
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(await text(response)).toBe('email\nnew@example.com\n');
  });

  it('cuts the connection when the database fails in the middle', async () => {
    const request = httpRequest(`${world.url}/scrubs`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${world.bob}`, 'Content-Type': 'text/csv' },
    });
    request.on('error', () => undefined);
    const rows = Array.from({ length: 3_000 }, (_, index) => `user${index}@example.com\n`).join('');
    request.write(`email\n${rows}`);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    await once(response, 'data');
    const lock = await world.database.lock('suppressions');
    request.end(rows);
    const cut = expect(text(response)).rejects.toMatchObject({ code: 'ECONNRESET' });
    await world.database.cancelWaiting();
    await cut;
    await lock.release();
  });

  it('keeps the scrubs of accounts apart', async () => {
    const response = await scrub('ada@example.com\n');
    await text(response);
    await world
      .as(world.charlie)
      .get(`/scrubs/${response.headers['scrub-id'] as string}`)
      .expect(404);
    expect(await text(await scrub('ada@example.com\n', {}, world.charlie))).toBe('ada@example.com\n');
  });

  it('keeps the counts for 90 days, however many there are', async () => {
    const recent = await scrub('ada@example.com\n');
    await text(recent);
    const old = '01890000-0000-7000-8000-000000000001';
    await world.database.query(
      'INSERT INTO scrubs SELECT (jsonb_populate_record(scrubs, $1)).* FROM scrubs WHERE account_id = $2',
      [JSON.stringify({ id: old }), world.acme.id],
    );
    await world.as(world.bob).get(`/scrubs/${old}`).expect(200);
    await world.database.query(
      `INSERT INTO scrubs (account_id, id)
      SELECT accounts.id, ('01890000-0000-7000-8000-1' || lpad(number::text, 11, '0'))::uuid
      FROM accounts, generate_series(1, 1500) AS number
      WHERE accounts.id = ANY ($1)`,
      [[world.acme.id, world.globex.id]],
    );
    const oldOnes = () =>
      world.database.query(`SELECT id FROM scrubs WHERE id < '01890000-ffff-7000-8000-000000000000'`);
    const used = await world.database.lockRow('scrubs', `id = '${old}'`);
    await world.app.get(ScrubSweep).run();
    expect(await oldOnes()).toEqual([{ id: old }]);
    await used.release();
    await world.app.get(ScrubSweep).run();
    expect(await oldOnes()).toEqual([]);
    await world.as(world.bob).get(`/scrubs/${old}`).expect(404);
    await countsOf(recent);
  });

  it('stores no address', async () => {
    await text(await scrub('secret@example.com\n'));
    const [row] = await world.database.query('SELECT scrubs::text AS row FROM scrubs WHERE account_id = $1', [
      world.acme.id,
    ]);
    expect(JSON.stringify(row)).not.toContain('example.com');
  });
});
