import { fromNetstring, policyRequest, RunningMta, toNetstring } from '../support/mta.js';
import { createWorld, setCause, suppress, type World } from '../support/world.js';

const DUNNO = 'action=DUNNO\n\n';

describe('a mail server that asks', () => {
  let world: World;
  let mta: RunningMta;
  let id: string;
  beforeAll(async () => {
    world = await createWorld();
    const emails = ['ada@example.com', 'grace@example.com', '"mary ann"@example.com', 'jörg@example.com'];
    const ids = await suppress(world, world.alice, emails);
    id = ids[0]!;
    await setCause(world, ids[1]!, 'unsubscribe', null);
    await world
      .as(world.alice)
      .post('/topics')
      .send({ name: 'News', key: 'news.daily', default_subscription: 'opt_out' });
    mta = await RunningMta.start({
      url: world.url,
      key: world.alice,
      users: '# users\nshop transactional\n',
    });
  });
  afterAll(async () => {
    await mta.stop();
    await world.close();
  });

  describe('by policy delegation', () => {
    it('rejects a suppressed recipient with the cause and the id of the record', async () => {
      const reply = `action=REJECT 5.7.1 Recipient suppressed: manual (${id})\n\n`;
      expect(await mta.policy({ recipient: 'ada@example.com' })).toBe(reply);
      expect(await mta.policy({ recipient: 'ADA@Example.com', sender: '' })).toBe(reply);
    });

    it('has no opinion about others, no recipient, and what is no address', async () => {
      for (const recipient of [
        'new@example.com',
        '',
        'postmaster',
        '@',
        'a@b@',
        '%40',
        'ada%40example.com',
      ]) {
        expect(await mta.policy({ recipient })).toBe(DUNNO);
      }
      expect(await mta.ask('policy', policyRequest({ protocol_state: 'DATA', recipient_count: '2' }))).toBe(
        DUNNO,
      );
    });

    it('knows addresses that Postfix unquotes, and addresses in UTF-8', async () => {
      expect(await mta.policy({ recipient: 'mary ann@example.com' })).toMatch(/^action=REJECT /);
      expect(await mta.policy({ recipient: 'jörg@example.com' })).toMatch(/^action=REJECT /);
      const latin1 = Buffer.from(policyRequest({ recipient: 'jörg@example.com' }), 'latin1');
      const caller = mta.connect('policy');
      caller.socket.end(latin1);
      expect(await caller.ended()).toBe(DUNNO);
    });

    it('takes the purpose from the context, or else from the user, or else the default', async () => {
      const recipient = 'grace@example.com';
      expect(await mta.policy({ recipient })).toMatch(/REJECT 5.7.1 Recipient suppressed: unsubscribe \(/);
      expect(await mta.policy({ recipient, policy_context: 'transactional' })).toBe(DUNNO);
      expect(await mta.policy({ recipient, sasl_username: 'shop' })).toBe(DUNNO);
      expect(await mta.policy({ recipient, sasl_username: 'else' })).toMatch(/REJECT/);
      expect(await mta.policy({ recipient, sasl_username: 'shop', policy_context: 'any' })).toMatch(/REJECT/);
      expect(await mta.policy({ recipient: 'new@example.com', policy_context: 'news.daily' })).toMatch(
        /REJECT 5.7.1 Recipient suppressed: not opted in to the topic \([\da-f-]{36}\)/,
      );
    });

    it('answers requests of a connection in their order, however they are cut', async () => {
      const caller = mta.connect('policy');
      const bytes = Buffer.from(
        policyRequest({ recipient: 'jörg@example.com', unknown: 'a=b=c' }) +
          policyRequest({ recipient: 'new@example.com' }) +
          policyRequest({ recipient: 'ada@example.com' }),
      );
      for (const byte of bytes) {
        caller.socket.write(Buffer.of(byte));
      }
      await caller.receives(/REJECT.*\n\naction=DUNNO\n\naction=REJECT.*\n\n$/);
      caller.socket.end();
      expect(await caller.ended()).toMatch(/\n\n$/);
    });

    it('closes the connection without an answer if a request is malformed or too long', async () => {
      const malformed = [
        'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n',
        '\n',
        'request=something_else\nrecipient=ada@example.com\n\n',
        `request=smtpd_access_policy\nsender=${'a'.repeat(20_000)}\n\n`,
        'a=b\n'.repeat(20_000),
      ];
      for (const text of malformed) {
        const caller = mta.connect('policy');
        caller.socket.on('error', () => undefined);
        caller.socket.write(text);
        expect(await caller.ended()).toBe('');
      }
      expect(await mta.metrics()).toContain(
        `suppression_list_mta_malformed_requests_total{protocol="policy"} ${malformed.length}`,
      );
    });
  });

  describe('by socketmap', () => {
    it('finds suppressed addresses in the maps access and transport', async () => {
      const text = `5.7.1 Recipient suppressed: manual (${id})`;
      expect(await mta.socketmap('access', 'ada@example.com')).toBe(`OK REJECT ${text}`);
      expect(await mta.socketmap('transport', 'ada@example.com')).toBe(`OK error:${text}`);
      expect(await mta.socketmap('access', 'new@example.com')).toBe('NOTFOUND ');
      expect(await mta.socketmap('access', 'mary ann@example.com')).toMatch(/^OK REJECT /);
      expect(await mta.socketmap('transport', 'jörg@example.com')).toMatch(/^OK error:/);
    });

    it('finds neither the wildcard nor parts of addresses', async () => {
      for (const key of ['*', 'example.com', '.example.com', 'ada@', '@example.com', 'ada', '']) {
        expect(await mta.socketmap('transport', key)).toBe('NOTFOUND ');
      }
    });

    it('takes the purpose from the name of the map, and knows no other maps', async () => {
      expect(await mta.socketmap('access.transactional', 'grace@example.com')).toBe('NOTFOUND ');
      expect(await mta.socketmap('access.any', 'grace@example.com')).toMatch(/^OK REJECT/);
      expect(await mta.socketmap('transport.news.daily', 'new@example.com')).toMatch(
        /^OK error:5.7.1 .* not opted in/,
      );
      expect(await mta.socketmap('virtual', 'ada@example.com')).toMatch(/^PERM The name of the map must be/);
      expect(await mta.ask('socketmap', '6:access,')).toMatch(/^\d+:PERM /);
    });

    it('answers several requests, however they are cut, and closes the connection at a malformed one', async () => {
      const request = toNetstring('access jörg@example.com');
      const caller = mta.connect('socketmap');
      for (const byte of Buffer.from(request.repeat(2))) {
        caller.socket.write(Buffer.of(byte));
      }
      await caller.receives(/^(\d+:OK REJECT [^,]+,){2}$/);
      caller.socket.write('x');
      await caller.ended();
      for (const malformed of ['3:abcd,', '03:abc,', ':abc,', '99999:', '999999', '-1:,']) {
        expect(await mta.ask('socketmap', malformed)).toBe('');
      }
      expect(fromNetstring(await mta.ask('socketmap', `${request}99999:`))).toBe('');
    });
  });

  describe('by lines', () => {
    it('answers each line, even a last one without a line feed, after the caller has closed its side', async () => {
      const lines = [
        'ada@example.com',
        'new@example.com',
        'grace@example.com transactional',
        'new@example.com news.daily\r',
        '"mary ann"@example.com any',
        'ada lovelace@example.com',
        '',
        `${'a'.repeat(5_000)}@example.com`,
        `ada@example.com${' '.repeat(5_000)}`,
        '  ADA@example.com  ',
      ];
      const answers = (await mta.ask('line', lines.join('\n'))).split('\n');
      expect(answers).toEqual([
        `suppressed manual ${id}`,
        'send',
        'send',
        expect.stringMatching(/^suppressed topic_default [\da-f-]{36}$/),
        expect.stringMatching(/^suppressed manual /),
        'invalid',
        'invalid',
        'invalid',
        'invalid',
        `suppressed manual ${id}`,
        '',
      ]);
    });

    it('answers thousands of lines of a caller that reads slowly', async () => {
      const caller = mta.connect('line');
      caller.socket.pause();
      caller.socket.end('ada@example.com\nnew@example.com\n'.repeat(10_000));
      setImmediate(() => caller.socket.resume());
      const answers = await caller.ended();
      expect(answers).toBe(`suppressed manual ${id}\nsend\n`.repeat(10_000));
    });
  });

  it('counts questions by protocol and answer, without addresses', async () => {
    const metrics = await mta.metrics();
    expect(metrics).toMatch(/question_duration_seconds_count\{protocol="policy",answer="suppressed"\} \d+/);
    expect(metrics).toMatch(/suppression_list_mta_connections\{protocol="line"\} 0/);
    expect(metrics).not.toContain('@');
    expect(JSON.stringify(mta.log)).not.toContain('@');
  });
});
