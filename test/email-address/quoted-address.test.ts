import type { EmailAddress } from '../../src/email-address/email-address.js';
import { addressesIn, QuotedAddress, quotes } from '../../src/email-address/quoted-address.js';
import { renameIn } from '../../src/pseudonyms/stored-names.js';
import { cpuTimesOf } from '../support/cpu-time.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const ADA = 'ada@example.com';
const JÖRG = 'jörg@xn--bcher-kva.example';
const QUOTED = '"ada lovelace"@example.com';

const FORMS: [email: string, text: string][] = [
  [ADA, '550 5.1.1 <ada@example.com>: user unknown'],
  [ADA, '550 ADA@Example.COM unknown'],
  [ADA, 'rcpt=ada@example.com'],
  [ADA, 'rcpt=3Cada=40example.com=3E'],
  [ADA, 'a=\r\nda=40exam=\nple.com'],
  [ADA, 'GET /contacts/ada%40example.com/topics'],
  [ADA, 'GET /contacts/%61da%40EXAMPLE.com'],
  [ADA, 'bounces+ada=example.com@mail.acme.example'],
  [ADA, `{"email":"ada\\u0040example.com"}`],
  [ADA, 'ada&#64;example.com'],
  [ADA, 'I wrote to ada@example.com.Then it bounced'],
  [ADA, '"ada"@example.com'],
  [ADA, 'ada@example.com.csv'],
  [ADA, 'C:\\Lists\\ADA@EXAMPLE.COM.CSV.GZ'],
  [JÖRG, 'jörg@bücher.example'],
  [JÖRG, 'JÖRG@BÜCHER.EXAMPLE'],
  [JÖRG, 'jo\u0308rg@xn--bcher-kva.example'],
  [JÖRG, 'j=C3=B6rg=40b=c3=bccher.example'],
  [JÖRG, 'j=C3=\n=B6rg@bücher.example'],
  [JÖRG, 'j%C3%B6rg%40b%C3%BCcher.example'],
  [JÖRG, String.raw`{"to":"j\u00f6rg@b\u00FCcher.example"}`],
  ['νίκοσ@example.com', 'ΝΊΚΟΣ@example.com νίκος@example.com'],
  [QUOTED, 'to <"Ada Lovelace"@example.com>'],
  [QUOTED, String.raw`{"to":"\"ada lovelace\"@example.com"}`],
  ['a.b+c*d@example.com', 'a.b+c*d@example.com'],
];

const OTHERS: [email: string, text: string][] = [
  [ADA, 'linada@example.com lin.ada@example.com lin-ada@example.com lin+ada@example.com'],
  [ADA, 'ada@example.com.au ada@example.community ada@example.com-mail.test ADA@EXAMPLE.COM.AU'],
  [ADA, 'ada@example.com.csvs ada@example.com.csv-files.example ada@example.com.zip'],
  [ADA, 'ada at example.com, ada@examplescom'],
  ['a.b+c*d@example.com', 'axb+c*d@example.com a.bc*d@example.com'],
];

describe('a quoted address', () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await createTestDatabase({ migrated: false })));
  afterAll(() => database.drop());

  const replaceInDatabase = async (email: string, text: string): Promise<string> => {
    const { sql } = new QuotedAddress(email as EmailAddress);
    const [row] = await database.query<{ text: string }>(
      `SELECT regexp_replace($1, $2, '[erased]', 'g') AS text`,
      [text, sql],
    );
    return row!.text;
  };

  const isInDatabase = async (text: string, ...emails: [string, ...string[]]): Promise<boolean> => {
    const { parameters } = new QuotedAddress(...(emails as [EmailAddress, ...EmailAddress[]]));
    const [row] = await database.query<{ found: boolean }>(`SELECT ${quotes('$1::text', 2)} AS found`, [
      text,
      ...parameters,
    ]);
    return row!.found;
  };

  it.each(FORMS)('%s is found in %j', async (email, text) => {
    const quoted = new QuotedAddress(email as EmailAddress);
    const replaced = quoted.replaceIn(text, '[erased]');
    expect(replaced).toContain('[erased]');
    expect(quoted.isIn(text)).toBe(true);
    expect(quoted.isIn(replaced)).toBe(false);
    expect(replaced).not.toMatch(/ada|lovelace|j.{0,9}rg|νίκο|ΝΊΚΟ/i);
    expect(await replaceInDatabase(email, text)).toBe(replaced);
    expect(await isInDatabase(text, email)).toBe(true);
    expect(await isInDatabase(text, 'bob@other.example', email)).toBe(true);
  });

  it.each(OTHERS)('%s is not found in %j', async (email, text) => {
    const quoted = new QuotedAddress(email as EmailAddress);
    expect(quoted.replaceIn(text, '[erased]')).toBe(text);
    expect(await replaceInDatabase(email, text)).toBe(text);
    expect(await isInDatabase(text, email)).toBe(false);
  });

  it('leaves JSON as it is', async () => {
    const json = JSON.stringify({ email: ADA, note: `"ada"@example.com and\r\n${ADA}` });
    const expected = JSON.stringify({ email: '[erased]', note: '[erased] and\r\n[erased]' });
    expect(new QuotedAddress(ADA as EmailAddress).replaceIn(json, '[erased]')).toBe(expected);
    expect(await replaceInDatabase(ADA, json)).toBe(expected);
  });

  it('inserts the replacement as it is', () => {
    expect(new QuotedAddress(ADA as EmailAddress).replaceIn(`<${ADA}>`, '$&$1')).toBe('<$&$1>');
  });

  it.each([
    'ada@example.com|bob@other.org',
    'bob@other.org|ada@example.com',
    'merge bob@other.org/ada@example.com',
    'a=ada@example.com&b=bob@other.org',
    'b=bob@other.org&a=ada@example.com',
    'ada@example.com "bob smith"@other.org',
    String.raw`{"to":"ada@example.com \"bob smith\"@other.org"}`,
    'ada@example.com =22bob smith=22=40other.org',
    'ada@example.com bob&#64;other.org',
    String.raw`{"to":"ada@example.com bob\u0040other.org"}`,
    'ada@example.com bob=40other.org bob%40other.org',
    'ada@example.com bo=\r\nb@other.=\r\norg',
    'ada@example.com bounces+bob=other.org@mail.acme.example',
  ])('is kept in %j, and another one is not', (text) => {
    const replaced = new QuotedAddress(ADA as EmailAddress).replaceOthersIn(text, '[other]');
    expect(replaced).toContain('ada@example.com');
    expect(replaced).toContain('[other]');
    expect(replaced).not.toMatch(/bo|other\.|org/);
  });

  it.each(FORMS)('%s is kept in %j', (email, text) => {
    expect(new QuotedAddress(email as EmailAddress).replaceOthersIn(text, '[other]')).toBe(text);
  });
});

describe('an erased address', () => {
  it('is replaced in a thousand texts in a few times the time that one takes', async () => {
    let counter = 0;
    const rename = (texts: number) => () => {
      const email = `ada${counter++}@example.com` as EmailAddress;
      const pseudonyms = new Map([[email, ADA as EmailAddress]]);
      for (let text = 0; text < texts; text++) {
        renameIn(`550 ${email} unknown`, pseudonyms);
      }
    };
    const least = await cpuTimesOf(rename(1_000), rename(1), 5);
    expect(least.long / least.short).toBeLessThan(5);
  });
});

describe('the addresses in a text', () => {
  it.each(['“ada@example.com”', '„ada@example.com“.', '»ada@example.com«', '‹ada@example.com›'])(
    'include %s in typographic quotation marks',
    (text) => expect([...addressesIn(`Mail to ${text} failed`)]).toEqual([ADA]),
  );
});
