import { request as httpRequest } from 'node:http';
import { SourcesService } from '../../src/inbound/sources/sources.service.js';
import { basic } from '../support/deliveries.js';
import { FROM_DAEMON, gone, mail, OUR_HEADER, report } from '../support/raw-mail.js';
import {
  createSource,
  post,
  postMail,
  readInbox,
  readLedger,
  takeMail,
  type Headers,
  type TestSource,
} from '../support/sources.js';
import { createWorld, type World } from '../support/world.js';

const MIB = 1024 * 1024;
describe('raw mail to a source', () => {
  let world: World;
  let source: TestSource;
  beforeAll(async () => (world = await createWorld()));
  beforeEach(async () => {
    source = await createSource(world, 'mail', { options: { messageIdDomains: ['example.com'] } });
  });
  afterAll(() => world.close());

  const take = (message: Buffer, headers: Headers = {}) => takeMail(world, source, message, headers);

  it('with endless nesting gets a response', async () => {
    const nested = Array.from(
      { length: 5_000 },
      (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}`,
    );
    await take(mail(FROM_DAEMON, ...nested));
    const inner = { type: 'message/rfc822', lines: gone('inner@example.net').toString().split('\r\n') };
    await take(report('delivery-status', [{ type: 'text/plain', lines: ['x'] }, inner]));
    expect(await readLedger(world, 'inner@example.net')).toEqual([]);
  });

  it.each(['text/plain; charset=latin1', 'application/octet-stream', 'application/json', 'multipart/report'])(
    'is read although it says %s',
    async (type) => {
      const { username, password } = source.secrets;
      const credential = basic(username!, password!) as Headers;
      const headers = { ...credential, 'Content-Type': type };
      const { status } = await post(world, source, gone('typed@example.net').toString(), headers);
      expect(status).toBe(200);
      expect(await readInbox(world, source)).toHaveLength(1);
    },
  );

  it('that is empty is malformed', async () => {
    const { status, body } = await postMail(world, source, Buffer.alloc(0));
    expect([status, body.code]).toEqual([400, 'malformed_body']);
  });

  it('with a wrong credential or none is refused and only counted', async () => {
    const message = gone('nobody@example.net', {}, OUR_HEADER);
    const large = Buffer.concat([message, Buffer.alloc(2 * MIB, 'x\r\n')]);
    const wrong = basic(source.secrets.username!, 'guess') as Headers;
    const answers = [
      await post(world, source, message.toString()),
      await postMail(world, source, message, wrong),
      await postMail(world, source, large, wrong),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(await readInbox(world, source)).toEqual([]);
    expect(await world.app.get(SourcesService).get(source.id)).toMatchObject({ badSignatures: '3' });
  });

  describe('of a size', () => {
    const padded = (octets: number) => {
      const message = gone('large@example.net', {}, OUR_HEADER);
      return Buffer.concat([message, Buffer.alloc(octets - message.length, 'x\r\n')]);
    };

    it('of 25 MiB is accepted, and a larger one is refused', async () => {
      expect(await take(padded(25 * MIB))).toEqual(['large@example.net bounce suppress: added']);
      const { status, body } = await postMail(world, source, padded(25 * MIB + 1));
      expect([status, body]).toEqual([
        413,
        expect.objectContaining({
          code: 'message_too_large',
          message: 'The message is larger than 25 MiB.',
        }),
      ]);
    });

    it('that is not declared is accepted, and refused as soon as it is too large', async () => {
      const { username, password } = source.secrets;
      const send = (message: Buffer) =>
        new Promise<number | undefined>((resolve, reject) => {
          const headers = { ...basic(username!, password!), 'Transfer-Encoding': 'chunked' };
          const url = new URL(source.path, world.url);
          const sent = httpRequest(url, { method: 'POST', headers }, (answer) => {
            answer.resume();
            resolve(answer.statusCode);
          });
          sent.on('error', reject);
          sent.end(message);
        });
      expect(await send(padded(2 * MIB))).toBe(200);
      expect(await send(padded(26 * MIB))).toBe(413);
    });

    it('larger than 1 MiB is refused by a source of another provider and by an unknown source', async () => {
      const postmark = await createSource(world, 'postmark');
      const { status, body } = await postMail(world, postmark, padded(2 * MIB));
      expect([status, body.message]).toEqual([413, expect.stringMatching(/larger than 1 MiB/)]);
      const nowhere = { ...source, path: `/inbound/${'A'.repeat(32)}` };
      expect((await postMail(world, nowhere, padded(2 * MIB))).status).toBe(404);
    });
  });
});
