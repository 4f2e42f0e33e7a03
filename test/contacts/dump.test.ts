import { domainToUnicode } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { contactIdOf } from '../../src/topics/contact.js';
import { ADA, endWork, untilErased } from '../support/erasures.js';
import { fillPlaces } from '../support/places.js';
import { dumpDatabase, hasPostgresPrograms } from '../support/postgres-programs.js';
import { createWorld, suppress, type World } from '../support/world.js';

const PATH = encodeURIComponent(ADA);
const KEPT = { keep_block: true, reference: 'Case 4711' };
const COMPLETE = { ...KEPT, keep_block: false, accept_may_be_mailed_again: true };
/** What an erasure keeps, and docs/privacy.md says so. */
const EXEMPT = {
  people: 'the person is a user of the console, which an erasure does not end',
  audit_entries: 'it proves what users of the console did, and is append-only',
};
/** A part of the address that nothing else in a dump has. */
const PART = 'lovelace';
const DOMAIN = ADA.slice(ADA.indexOf('@') + 1);
const escaped = (text: string, sign: string): string =>
  [...Buffer.from(text)].map((byte) => sign + byte.toString(16).toUpperCase()).join('');
const base64At = (offset: number, text: string): string =>
  Buffer.from('-'.repeat(offset) + text).toString('base64');

/** The address as programs write it. */
const FORMS = new Map<string, string | Buffer>([
  ['lower case', ADA],
  ['upper case', ADA.toUpperCase()],
  ['a domain in Unicode', `someone@${domainToUnicode(DOMAIN)}`],
  ['a domain in punycode', `someone@${DOMAIN}`],
  ['quoted-printable', escaped(ADA, '=')],
  ['quoted-printable with soft line breaks', `ada.love=\r\nlace+1815@example.com`],
  ['percent-encoded', escaped(ADA, '%')],
  ['escapes of JSON', [...ADA].map((sign) => `\\u00${sign.charCodeAt(0).toString(16)}`).join('')],
  ['bytes', Buffer.from(ADA)],
  ['compressed bytes', gzipSync(`email\r\n${ADA}\r\n`)],
  ['hexadecimal digits', Buffer.from(ADA.toUpperCase()).toString('hex').toUpperCase()],
  ['base64', base64At(0, ADA)],
  ['base64, a byte later', base64At(1, ADA.toUpperCase())],
  ['base64, two bytes later', base64At(2, ADA)],
]);

/** The lines of a dump that have the address, in whatever form. */
function tracesIn(dump: string): string[] {
  const bytes = [...dump.matchAll(/\\x((?:[0-9a-f]{2}){2,})/g)].map(([, hex]) => Buffer.from(hex!, 'hex'));
  const files = bytes.filter((data) => data.readUInt16BE() === 0x1f8b).map((data) => gunzipSync(data));
  const text = [dump, ...files].join('\n');
  const decoded = [/=([0-9a-f]{2})/gi, /%([0-9a-f]{2})/gi, /\\u([0-9a-f]{4})/gi].map((escape) =>
    text
      .replace(/=\r?\n/g, '')
      .replace(escape, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  );
  const parts = [PART, PART.toUpperCase()];
  const hex = parts.map((part) => Buffer.from(part).toString('hex'));
  const base64 = [0, 1, 2].flatMap((offset) =>
    parts.map((part) =>
      base64At(offset, part).slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + part.length) * 4) / 3)),
    ),
  );
  return [
    ...[text, ...decoded].flatMap((form) =>
      linesWith([PART, `@${DOMAIN}`, `@${domainToUnicode(DOMAIN)}`], form, form.toLowerCase()),
    ),
    ...linesWith(hex, text, text.toLowerCase()),
    ...linesWith(base64, text),
  ];
}

function linesWith(parts: string[], text: string, folded = text): string[] {
  const lines = text.split('\n');
  return folded
    .split('\n')
    .flatMap((line, index) => (parts.some((part) => line.includes(part)) ? [lines[index]!] : []));
}

let world: World;
beforeEach(async () => (world = await createWorld()));
afterEach(() => world.close());

const dump = (): string => dumpDatabase(world.database.url, Object.keys(EXEMPT));

/** Stores the address as a service does that is in use. */
async function useAddress(): Promise<void> {
  const alice = () => world.as(world.alice);
  await suppress(world, world.alice, [ADA]);
  const diagnostic = `550 <${ADA.toUpperCase()}> unknown`;
  for (const email of [ADA, 'grace@example.org']) {
    await alice().post('/events').send({ type: 'bounce', email, status: '5.1.1', diagnostic }).expect(200);
  }
  await alice().get(`/contacts/${PATH}`).expect(200);
}

(hasPostgresPrograms ? describe : describe.skip)('a dump that pg_dump made', () => {
  it('is searched for the address in every form', async () => {
    for (const [name, form] of FORMS) {
      await world.database.query('DROP TABLE IF EXISTS forms');
      await world.database.query('CREATE TABLE forms (text text, bytes bytea)');
      expect([name, tracesIn(dump())]).toEqual([name, []]);
      const column = typeof form === 'string' ? 'text' : 'bytes';
      await world.database.query(`INSERT INTO forms (${column}) VALUES ($1)`, [form]);
      expect([name, tracesIn(dump()).length > 0]).toEqual([name, true]);
    }
  });

  it.each([
    ['complete', COMPLETE],
    ['that keeps the block', KEPT],
  ])('does not contain the address after an erasure %s, in no form', async (_, request) => {
    await fillPlaces(world, ADA, contactIdOf(world.acme.id, ADA as EmailAddress));
    await useAddress();
    await endWork(world);
    expect(tracesIn(dump()).length).toBeGreaterThan(50);
    const { pseudonym } = await untilErased(world, async () =>
      world.as(world.alice).post(`/contacts/${PATH}/erase`).send(request),
    );
    expect(tracesIn(dump())).toEqual([]);
    expect(dump()).toContain(pseudonym);
  });
});
