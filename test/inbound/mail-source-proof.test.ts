import { createHmac, randomUUID } from 'node:crypto';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { signReturnPath } from '../../src/inbound/providers/mail/return-path.js';
import { OWN_UUID } from '../support/deliveries.js';
import { deliveryStatus } from '../support/raw-mail.js';
import {
  createSource,
  postMail,
  readInbox,
  readLedger,
  readList,
  type Headers,
  type TestSource,
} from '../support/sources.js';
import { createWorld, type World } from '../support/world.js';

const OURS = ['Message-ID: <42@news.example.com>'];
const failed = (email: string, status = '5.1.1') => [
  `Final-Recipient: rfc822; ${email}`,
  'Action: failed',
  `Status: ${status}`,
  '',
];
const gone = (email: string, header: Headers = {}, returned: string[] = []) =>
  deliveryStatus(failed(email), returned, header);

describe('raw mail to a source', () => {
  let world: World;
  let source: TestSource;
  beforeAll(async () => (world = await createWorld()));
  beforeEach(async () => {
    source = await createSource(world, 'mail', { options: { messageIdDomains: ['example.com'] } });
  });
  afterAll(() => world.close());

  const take = async (message: Buffer, headers: Headers = {}) => {
    const { status, body } = await postMail(world, source, message, headers);
    expect([status, body]).toEqual([200, {}]);
    return readInbox(world, source);
  };
  const returnPath = (recipient?: string, key = source.secrets.return_path_key!) =>
    `${signReturnPath(key, OWN_UUID, recipient as EmailAddress)}@bounces.example.org`;

  it('to a signed return path suppresses, with the email id in it', async () => {
    const message = gone('ada@example.net', { To: returnPath().toUpperCase() });
    expect(await take(message)).toEqual(['ada@example.net bounce suppress: added']);
    const row = (await readList(world)).find(({ email }) => email === 'ada@example.net');
    expect(row).toMatchObject({ cause: 'bounce', email_id: OWN_UUID });
    expect(await readLedger(world, 'ada@example.net')).toEqual(['added bounce by mail']);
  });

  it('is signed as documented', () => {
    const digits = OWN_UUID.replaceAll('-', '');
    const hmac = (text: string) => createHmac('sha256', 'key').update(text).digest('hex').slice(0, 24);
    expect(signReturnPath('key', OWN_UUID)).toBe(`bounce+${digits}.${hmac(digits)}`);
    const bound = signReturnPath('key', OWN_UUID, 'ada@example.com' as EmailAddress);
    expect(bound).toBe(`bounce+${digits}.${hmac(`${digits} ada@example.com`)}`);
    expect(bound).toHaveLength(64);
  });

  it('to a return path for one recipient proves nothing about another', async () => {
    const To = returnPath('eve@example.net');
    const message = deliveryStatus([...failed('eve@example.net'), ...failed('victim@example.net')], [], {
      To,
    });
    expect((await take(message)).toSorted()).toEqual([
      'eve@example.net bounce suppress: added',
      'victim@example.net bounce none: nothing',
    ]);
  });

  it.each([
    ['example.com', 'added'],
    ['NEWS.Example.COM', 'added'],
    ['badexample.com', 'nothing'],
    ['example.com.evil.example', 'nothing'],
    ['com', 'nothing'],
  ])('that returns a Message-ID at %s: %s', async (domain, outcome) => {
    const email = `${randomUUID()}@example.net`;
    const [event] = await take(gone(email, {}, [`Message-ID: <a@b@${domain}>`]));
    expect(event).toMatch(new RegExp(`: ${outcome}$`));
  });

  it('without a proof is believed if the source is configured so', async () => {
    source = await createSource(world, 'mail', { options: { unproven: 'allow' } });
    expect(await take(gone('trusted@example.net'))).toEqual(['trusted@example.net bounce suppress: added']);
  });

  it('without a proof does not count as a soft failure', async () => {
    source = await createSource(world, 'mail', { options: { softLimit: { failures: 1, days: 1 } } });
    const full = deliveryStatus(failed('full@example.net', '4.2.2'));
    expect(await take(full)).toEqual(['full@example.net bounce none: nothing']);
  });

  it('that is forged does not block the genuine report', async () => {
    const header = { 'Message-ID': '<report-2@mx.example.net>' };
    await take(gone('late@example.net', header));
    expect((await take(gone('late@example.net', header, OURS))).toSorted()).toEqual([
      'late@example.net bounce none: nothing',
      'late@example.net bounce suppress: added',
    ]);
  });
});
