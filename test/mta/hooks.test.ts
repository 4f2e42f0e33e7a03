import { exchange } from '../support/servers/raw-http.js';
import { createKey, createWorld, setCause, suppress, type World } from '../support/world.js';

const MEBIBYTE = 1024 * 1024;
const ACCEPT = { action: 'accept', response: null, modifications: [] };

/** What Stalwart sends, with the parts that its documentation shows. */
const stalwart = (stage: string, to: string[], contents = 'Hello.\r\n') => ({
  context: {
    stage,
    client: {
      ip: '192.0.2.1',
      port: 34567,
      ptr: 'mail.example.com',
      helo: 'mail.example.com',
      activeConnections: 1,
    },
    sasl: { login: 'shop', method: null },
    tls: { version: 'TLSv1_3', cipher: 'TLS13_AES_256_GCM_SHA384', cipherBits: 256 },
    server: { name: 'Stalwart', port: 25, ip: '192.0.2.2' },
    queue: { id: '1234567890' },
    protocol: { version: 1 },
  },
  envelope: {
    from: { address: 'shop@example.com', parameters: { size: 12345 } },
    to: to.map((address) => ({ address, parameters: { orcpt: `rfc822; ${address}` } })),
  },
  message: { headers: [['Subject', ' Hello\r\n']], serverHeaders: [], contents, size: contents.length },
});

describe('POST /mta-hooks', () => {
  let world: World;
  let id: string;
  beforeAll(async () => {
    world = await createWorld();
    const emails = ['ada@example.com', 'grace@example.com', '"mary ann"@example.com'];
    const ids = await suppress(world, world.alice, emails);
    id = ids[0]!;
    await setCause(world, ids[1]!, 'unsubscribe', null);
    await world
      .as(world.alice)
      .post('/topics')
      .send({ name: 'News', key: 'news', default_subscription: 'opt_out' })
      .expect(201);
  });
  afterAll(() => world.close());

  const post = (body: unknown, query = '', key = world.alice) =>
    world
      .as(key)
      .post(`/mta-hooks${query}`)
      .send(body as object);
  const answer = async (body: unknown, query = '') => (await post(body, query).expect(200)).body;

  it('rejects a suppressed recipient at the stage rcpt, in any letter case, with the cause and the id', async () => {
    for (const stage of ['rcpt', 'RCPT', 'Rcpt']) {
      expect(await answer(stalwart(stage, ['new@example.com', 'ada@example.com']))).toEqual({
        action: 'reject',
        response: { status: 550, message: `5.7.1 Recipient suppressed: manual (${id})` },
        modifications: [],
      });
    }
  });

  it('looks only at the last recipient at the stage rcpt', async () => {
    expect(await answer(stalwart('rcpt', ['ada@example.com', 'new@example.com']))).toEqual(ACCEPT);
  });

  it('deletes suppressed recipients at the stage data, as the mail server wrote them', async () => {
    const to = ['ada@example.com', 'new@example.com', 'mary ann@example.com', 'no address'];
    const deleted = ['ada@example.com', 'mary ann@example.com'];
    expect(await answer(stalwart('DATA', to))).toEqual({
      action: 'accept',
      response: null,
      modifications: deleted.map((value) => ({ type: 'deleteRecipient', value })),
    });
  });

  it('rejects a mail at the stage data if nobody is left', async () => {
    const alone = await answer(stalwart('data', ['ada@example.com']));
    expect(alone.response.message).toBe(`5.7.1 Recipient suppressed: manual (${id})`);
    const together = await answer(stalwart('data', ['ada@example.com', 'grace@example.com']));
    expect(together).toEqual({
      action: 'reject',
      response: { status: 550, message: '5.7.1 All recipients are suppressed' },
      modifications: [],
    });
  });

  it('accepts the stages that have no recipient', async () => {
    for (const stage of ['connect', 'ehlo', 'auth', 'mail']) {
      expect(await answer({ context: { stage } })).toEqual(ACCEPT);
    }
  });

  it('takes the purpose of the mail from the query', async () => {
    const toGrace = stalwart('rcpt', ['grace@example.com']);
    expect(await answer(toGrace)).toMatchObject({ action: 'reject' });
    expect(await answer(toGrace, '?transactional=true')).toEqual(ACCEPT);
    const toNew = stalwart('rcpt', ['new@example.com']);
    const { response } = await answer(toNew, '?topic=news&transactional=false');
    expect(response.message).toMatch(/^5\.7\.1 Recipient suppressed: not opted in to the topic \(/);
  });

  it('responds with an error if the verdict is unknown', async () => {
    const body = stalwart('rcpt', ['new@example.com']);
    await world.anyone.post('/mta-hooks').send(body).expect(401);
    await post(body, '?topic=unknown').expect(404);
    await post(body, '?topic=news&transactional=true').expect(400);
    await post(body, '?purpose=news').expect(400);
    const reader = await createKey(world, ['suppressions:read']);
    await post(body, '', reader).expect(200);
    await post(body, '?transactional=true', reader).expect(401);
  });

  it.each([
    ['{', 'not a JSON object'],
    ['', 'context must be given'],
    ['{"context":{"stage":"quit"}}', 'context must have a stage: connect,'],
    ['{"context":null}', 'context must have a stage: connect,'],
    ['{"envelope":{"to":[]}}', 'context must be given'],
    ['{"context":{"stage":"rcpt"}}', 'envelope must have a recipient in to at the stage rcpt'],
    ['{"context":{"stage":"rcpt"},"envelope":{"to":[]}}', 'envelope must have a recipient in to'],
    ['{"context":{"stage":"data"},"envelope":{"to":"ada@example.com"}}', 'envelope must have an array to'],
    [
      '{"context":{"stage":"data"},"envelope":{"to":[null]}}',
      'envelope must have recipients with an address',
    ],
  ])('refuses the body %s', async (body, message) => {
    const { body: error } = await post(body).set('Content-Type', 'application/json').expect(400);
    expect(error.message).toContain(message);
  });

  it('ignores the content type', async () => {
    const body = JSON.stringify(stalwart('rcpt', ['ada@example.com']));
    const head = `POST /mta-hooks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.alice}\r\nConnection: close\r\n`;
    const response = await exchange(world.url, `${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    expect(response).toMatch(/^HTTP\/1.1 200 .*"action":"reject"/s);
  });

  it('reads past a large message, wherever it is, and whatever it contains', async () => {
    const contents = '"message": {"} \\ [é\r\n'.repeat(MEBIBYTE / 4);
    const { context, envelope, message } = stalwart('rcpt', ['ada@example.com'], contents);
    for (const body of [
      { context, envelope, message },
      { message, context, envelope },
      { context, message, envelope },
    ]) {
      expect(await answer(body)).toMatchObject({ action: 'reject' });
    }
  });

  it('refuses more than 1 MiB beside the message, and more than 256 MiB in total', async () => {
    const { context, envelope } = stalwart('rcpt', ['ada@example.com']);
    await post({ context, envelope, other: 'x'.repeat(MEBIBYTE) }).expect(413);
    await post({ context, envelope, other: { message: 'x'.repeat(MEBIBYTE) } }).expect(413);
    const head = `POST /mta-hooks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.alice}\r\nConnection: close\r\n`;
    const response = await exchange(world.url, `${head}Content-Length: ${256 * MEBIBYTE + 1}\r\n\r\n{`);
    expect(response).toMatch(/^HTTP\/1.1 413 .*256 MiB/s);
  });
});
