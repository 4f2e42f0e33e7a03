import { createServer } from 'node:net';
import type { OnFailure } from '../../src/mta/protocol.js';
import { Exim } from '../support/mail-servers/exim.js';
import { Haraka } from '../support/mail-servers/haraka.js';
import { MailSink } from '../support/mail-servers/mail-sink.js';
import { OpenSmtpd } from '../support/mail-servers/opensmtpd.js';
import { Postfix } from '../support/mail-servers/postfix.js';
import { SmtpClient } from '../support/mail-servers/smtp-client.js';
import { RunningMta } from '../support/mta.js';
import { startProxy, type Proxy } from '../support/servers/proxy.js';
import { until } from '../support/until.js';
import { createWorld, suppress, type World } from '../support/world.js';

const SUPPRESSED = 'ada@example.com';
const [OK, DEFERRED] = [/^250 /, /^45[01] .*4\.7\.1|^451 .*unavailable/];

const postfix = new Postfix();
const withSendmail = [postfix, new Exim(), new OpenSmtpd()];
const servers = [...withSendmail, new Haraka()];

let world: World;
let proxy: Proxy;
let sink: MailSink;
let mta: RunningMta;
let id: string;
beforeAll(async () => {
  world = await createWorld();
  [id] = (await suppress(world, world.alice, [SUPPRESSED, '"mary ann"@example.com'])) as [string];
  proxy = await startProxy(world.url);
  sink = await MailSink.start();
  mta = await startMta('defer');
  await Promise.all(servers.map((server) => server.start()));
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await mta.stop();
  sink.close();
  await proxy.close();
  await world.close();
});

/** At the addresses of docs/mail-servers.md. */
const startMta = (onFailure: OnFailure) =>
  RunningMta.start({
    url: new URL(proxy.url).origin,
    key: world.alice,
    onFailure,
    addresses: { policy: '127.0.0.1:9998', socketmap: '127.0.0.1:9997', line: '127.0.0.1:9996' },
  });

async function mail(port: number, ...recipients: string[]): Promise<string[]> {
  const client = await SmtpClient.connect(port);
  const replies = await client.mail(...recipients);
  client.close();
  return replies;
}

describe.each(servers)('$name', ({ name, port }) => {
  it('refuses suppressed recipients, and sends to the others', async () => {
    const [first, last] = [`first-${name}@example.com`, `last-${name}@example.com`];
    const replies = await mail(port, first, SUPPRESSED, '"mary ann"@example.com', last);
    expect(replies.map((reply) => reply[0])).toEqual(['2', '5', '5', '2']);
    expect(replies[1]).toMatch(/^55[04] 5\.7\.1 /);
    expect(replies[1]).toContain(`Recipient suppressed: manual (${id})`);
    await until(() => sink.recipients.includes(last));
    expect(sink.recipients).toContain(first);
    expect(sink.recipients).not.toContain(SUPPRESSED);
  });

  it('defers recipients while the service or suppressions mta is down, or stops without an answer', async () => {
    const deferred = [expect.stringMatching(DEFERRED)];
    proxy.cut();
    expect(await mail(port, 'new@example.com')).toEqual(deferred);
    await mta.stop();
    expect(await mail(port, 'new@example.com')).toEqual(deferred);
    const silent = [9996, 9998].map((address) =>
      createServer((socket) => socket.end()).listen(address, '127.0.0.1'),
    );
    expect(await mail(port, 'new@example.com')).toEqual(deferred);
    silent.forEach((server) => server.close());
    proxy.restore();
    mta = await startMta('defer');
    expect(await mail(port, 'new@example.com')).toEqual([expect.stringMatching(OK)]);
  });
});

describe('postfix', () => {
  it('accepts recipients while the service is down, if mta was started with --on-failure pass', async () => {
    await mta.stop();
    mta = await startMta('pass');
    proxy.cut();
    expect(await mail(postfix.port, SUPPRESSED)).toEqual([expect.stringMatching(OK)]);
    proxy.restore();
    expect(await mail(postfix.port, SUPPRESSED)).toEqual([expect.stringMatching(/^554 /)]);
    await until(() => postfix.hasEmptyQueue());
    sink.recipients.length = 0;
  });

  it('sends 2,000 mails to the recipients that are not suppressed, and to each once', async () => {
    const [connections, mailsEach] = [10, 200];
    const expected: string[] = [];
    const send = async (_value: unknown, connection: number): Promise<number> => {
      const client = await SmtpClient.connect(postfix.port);
      let refused = 0;
      for (let number = 0; number < mailsEach; number++) {
        const recipients = [
          `${connection}-${number}@example.com`,
          ...(number % 10 === 0 ? [SUPPRESSED] : []),
        ];
        const replies = await client.mail(...recipients);
        refused += replies.filter((reply) => reply.startsWith('554 5.7.1')).length;
        expected.push(recipients[0]!);
      }
      client.close();
      return refused;
    };
    const refused = await Promise.all(Array.from({ length: connections }, send));
    expect(refused).toEqual(Array(connections).fill(mailsEach / 10));
    await until(() => postfix.hasEmptyQueue());
    const received = sink.recipients.filter((recipient) => /^\d+-\d+@|^ada@/.test(recipient));
    expect(received.toSorted()).toEqual(expected.toSorted());
  });

  it('finds suppressed recipients, and nothing else, in the maps', async () => {
    await postfix.useTransportMap();
    const text = `5.7.1 Recipient suppressed: manual (${id})`;
    expect(await postfix.query(SUPPRESSED, 'access')).toBe(`REJECT ${text}`);
    expect(await postfix.query(SUPPRESSED, 'transport.transactional')).toBe(`error:${text}`);
    for (const key of ['new@example.com', 'example.com', '*']) {
      expect(await postfix.query(key, 'transport')).toBe('');
    }
  });
});

describe.each(withSendmail)('sendmail of $name', (server) => {
  it('sends to the recipients that are not suppressed', async () => {
    const other = `cron-${server.name}@example.com`;
    await server.sendmail(SUPPRESSED);
    await server.sendmail(other);
    await until(() => sink.recipients.includes(other));
    await until(() => server.hasEmptyQueue());
    expect(sink.recipients).not.toContain(SUPPRESSED);
  });
});
