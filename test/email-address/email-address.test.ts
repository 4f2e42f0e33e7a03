import { parseMailbox } from '../../src/email-address/mailbox.js';
import fc from 'fast-check';
import {
  InvalidEmailAddress,
  parseEmailAddress,
  readEmailAddress,
} from '../../src/email-address/email-address.js';
import { anyText } from '../support/any-text.js';
import { cases } from '../support/cases.js';

describe('an email address', () => {
  it.each([
    ['Ada@Example.COM', 'ada@example.com'],
    ['  ada@example.com\r\n', 'ada@example.com'],
    ['\u00a0ada@example.com', 'ada@example.com'],
    ['ada@example.com.', 'ada@example.com'],
    ['ada@MÜNCHEN.de', 'ada@xn--mnchen-3ya.de'],
    ['ada@mu\u0308nchen.de', 'ada@xn--mnchen-3ya.de'],
    ['ada@straße.de', 'ada@xn--strae-oqa.de'],
    ['ada@ｅｘａｍｐｌｅ．ｃｏｍ', 'ada@example.com'],
    ['ada@例子。中国', 'ada@xn--fsqu00a.xn--fiqs8s'],
    ['ada@☕.example', 'ada@xn--53h.example'],
    ['JOSE\u0301@example.com', 'josé@example.com'],
    ['ΑΔΑΣ@example.com', 'αδασ@example.com'],
    ['αδας@example.com', 'αδασ@example.com'],
    ['"ada"@example.com', 'ada@example.com'],
    ['"a\\da"@example.com', 'ada@example.com'],
    ['"Ada Lovelace"@example.com', '"ada lovelace"@example.com'],
    ['"a@b"@example.com', '"a@b"@example.com'],
    ['"a\\"b"@example.com', '"a\\"b"@example.com'],
    ['user.@docomo.ne.jp', 'user.@docomo.ne.jp'],
    ['us..er@docomo.ne.jp', 'us..er@docomo.ne.jp'],
    ['"us..er"@docomo.ne.jp', 'us..er@docomo.ne.jp'],
    ['.user@example.com', '.user@example.com'],
    ["o'hara!#$%&*+-/=?^_`{|}~@example.com", "o'hara!#$%&*+-/=?^_`{|}~@example.com"],
    ['root@localhost', 'root@localhost'],
    ['a@ai', 'a@ai'],
    ['a@under_score.example', 'a@under_score.example'],
    ['a@ex--ample.com', 'a@ex--ample.com'],
    ['a@123.com', 'a@123.com'],
    ['a@[192.0.2.1]', 'a@[192.0.2.1]'],
    ['a@[IPv6:2001:DB8::1]', 'a@[ipv6:2001:db8::1]'],
    ['a@[IPv6:2001:db8:0:0:0:0:0:1]', 'a@[ipv6:2001:db8::1]'],
    ['a@paral·lel.cat', 'a@xn--parallel-koa.cat'],
    ['a@نامه\u200cای.com', 'a@xn--mgba3gch31f060k.com'],
    ['a@ア・イ.jp', 'a@xn--ccke4x.jp'],
    ['a@ג׳ירפה.example', 'a@xn--6dbeo8bt8d.example'],
    ['a@ཀ་ཀ.example', 'a@xn--nbd9hb.example'],
    ['a@σ͵α.example', 'a@xn--wva4j1b.example'],
    ['a@👍🏽.ws', 'a@xn--on8h5e.ws'],
    ['ada@exam\u00adple.com', 'ada@example.com'],
    ['用户@例子.中国', '用户@xn--fsqu00a.xn--fiqs8s'],
    ['😀@example.com', '😀@example.com'],
    [`${'x'.repeat(200)}@example.com`, `${'x'.repeat(200)}@example.com`],
    ['bounce+0190=user=example.org@mail.example.com', 'bounce+0190=user=example.org@mail.example.com'],
  ])('%j is %j', (input, expected) => {
    expect(parseEmailAddress(input)).toBe(expected);
    expect(parseEmailAddress(expected)).toBe(expected);
  });

  it.each([
    [undefined, 'must be a string'],
    [42, 'must be a string'],
    [['a@example.com'], 'must be a string'],
    ['', 'must contain an @'],
    ['example.com', 'must contain an @'],
    ['@example.com', 'must have a name before the @'],
    ['ada@', 'must have a domain after the @'],
    ['ada@.', 'must have a domain after the @'],
    ['ada@ example.com', 'must have a valid domain after the @'],
    ['ada @example.com', 'must be one address alone: name@domain, without spaces, brackets or commas'],
    ['Ada <ada@example.com>', 'must be one address alone: name@domain, without spaces, brackets or commas'],
    ['a@b.example,c@d.example', 'must be one address alone: name@domain, without spaces, brackets or commas'],
    ['a@b@example.com', 'must be one address alone: name@domain, without spaces, brackets or commas'],
    ['mailto:ada@example.com', 'must be one address alone: name@domain, without spaces, brackets or commas'],
    ['""@example.com', 'must be one address alone: name@domain, without spaces, brackets or commas'],
    ['ada\u0000@example.com', 'must not contain control characters'],
    ['a\nda@example.com', 'must not contain control characters'],
    ['ada@exam\u0085ple.com', 'must not contain control characters'],
    ['a\u200bda@example.com', 'must not contain invisible characters'],
    ['a\u00adda@example.com', 'must not contain invisible characters'],
    ['a\ufe0fda@example.com', 'must not contain invisible characters'],
    ['a\u3164da@example.com', 'must not contain invisible characters'],
    ['a\u2800da@example.com', 'must not contain invisible characters'],
    ['ada@exam\u202eple.com', 'must have a valid domain after the @'],
    ['ada@[ipv6:fe80::1%eth0]', 'must have a valid domain after the @'],
    ['a\u202eda@example.com', 'must not contain invisible characters'],
    ['\ufffd@example.com', 'must be in UTF-8: U+FFFD stands for a character that could not be read'],
    ['\ud800@example.com', 'must be well-formed Unicode, without unpaired surrogates'],
    ['ada@a..b', 'must have a valid domain after the @'],
    ['ada@-a.example', 'must have a valid domain after the @'],
    ['ada@foo%41.com', 'must have a valid domain after the @'],
    ['ada@a.com/b', 'must have a valid domain after the @'],
    ['ada@a.com:25', 'must have a valid domain after the @'],
    ['ada@2130706433', 'must have a valid domain after the @'],
    ['ada@0x7f.1', 'must have a valid domain after the @'],
    ['ada@192.0.2.1', 'must have a valid domain after the @'],
    ['ada@[300.0.0.1]', 'must have a valid domain after the @'],
    ['ada@[]', 'must have a valid domain after the @'],
    ['ada@a⑴.com', 'must have a valid domain after the @'],
    ['ada@xn--a.com', 'must have a valid domain after the @'],
    ['“ada@example.com”', 'must not have quotation marks or other punctuation in its domain'],
    ['ada@«example».com', 'must not have quotation marks or other punctuation in its domain'],
    ['ada@‘example.com’', 'must not have quotation marks or other punctuation in its domain'],
    ['ada@example.com›', 'must not have quotation marks or other punctuation in its domain'],
    ['ada@exam–ple.com', 'must not have quotation marks or other punctuation in its domain'],
    ['ada@「例子」.example', 'must not have quotation marks or other punctuation in its domain'],
    ['ada@例、子.example', 'must not have quotation marks or other punctuation in its domain'],
    ['ada@xn--example-3ja5m.com', 'must not have quotation marks or other punctuation in its domain'],
    ['ada@XN--EXAMPLE-V36C.com', 'must not have quotation marks or other punctuation in its domain'],
    ['ada@xn--com-9o0a', 'must not have quotation marks or other punctuation in its domain'],
    [`ada@${'x'.repeat(64)}.com`, 'must have a valid domain after the @'],
    [`${'x'.repeat(257)}@example.com`, 'must not have more than 256 bytes before the @'],
    [`${'ü'.repeat(129)}@example.com`, 'must not have more than 256 bytes before the @'],
    [`${'Ⱥ'.repeat(100)}@example.com`, 'must not have more than 256 bytes before the @'],
    [`${'x'.repeat(250)}@${'y.'.repeat(40)}com`, 'must not be longer than 320 bytes'],
    [`${' '.repeat(1000)}ada@example.com`, 'must not be longer than 320 bytes'],
  ])('%j is not one: %s', (input, problem) => {
    expect(parseEmailAddress(input)).toEqual(new InvalidEmailAddress(problem));
  });

  const localPart = fc.string({
    unit: fc.oneof(
      fc.constantFrom(...'aZ09.+-_!#$%&*/=?^`{|}~'),
      fc.string({ unit: 'grapheme', maxLength: 1 }),
    ),
    minLength: 1,
    maxLength: 150,
  });
  const address = fc.oneof(
    fc.emailAddress(),
    fc.tuple(localPart, fc.domain()).map((parts) => parts.join('@')),
    fc
      .tuple(anyText({ maxLength: 12 }), fc.string({ unit: 'grapheme', maxLength: 12 }))
      .map((parts) => parts.join('@')),
    fc.string({ maxLength: 30 }).map((text) => `"${text}"@example.com`),
  );

  it('is read the same with and without the shortcut for plain addresses', () => {
    const nearlyPlain = fc.string({ unit: fc.constantFrom(...'aZ09_-.+x@n "[]ſK'), maxLength: 80 });
    const ofLabels = fc
      .array(fc.string({ unit: fc.constantFrom(...'aZ0x_-'), minLength: 1, maxLength: 66 }), { minLength: 1 })
      .map((labels) => `a@${labels.join('.')}`);
    fc.assert(
      fc.property(fc.oneof(address, nearlyPlain, ofLabels), (input) => {
        expect(parseEmailAddress(input)).toEqual(readEmailAddress(input));
      }),
      { numRuns: cases(3_000, 10_000) },
    );
  });

  it('has a normal form that is its own normal form', () => {
    fc.assert(
      fc.property(address, (input) => {
        const normal = parseEmailAddress(input);
        if (typeof normal === 'string') {
          expect(parseEmailAddress(normal)).toBe(normal);
        }
      }),
      { numRuns: cases(1_000, 3_000) },
    );
  });

  it('is the same composed or decomposed, with white space around it, and in any letter case of ASCII', () => {
    const upper = (text: string) => text.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase());
    fc.assert(
      fc.property(address, (input) => {
        const normal = parseEmailAddress(input);
        fc.pre(typeof normal === 'string');
        for (const other of [upper(input), input.normalize('NFD'), input.normalize('NFC'), ` ${input}\t`]) {
          expect(parseEmailAddress(other)).toBe(normal);
        }
      }),
      { numRuns: cases(1_000, 2_000) },
    );
  });

  it('never takes more bytes than the database keeps', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 700 }), (text) => {
        const normal = parseEmailAddress(`${text}@example.com`);
        expect(typeof normal !== 'string' || Buffer.byteLength(normal) <= 320).toBe(true);
      }),
    );
  });
});

describe('a mailbox', () => {
  it.each([
    'ada@example.com',
    'Ada <ada@example.com>',
    '"Lovelace, Ada" <Ada@example.com>',
    '"<Ada> \\" B" <ada@example.com>',
    "'ada@example.com' <ada@example.com>",
    '"ada@example.com" <ada@example.com>',
    'ada@example.com <ada@example.com>',
    'Ada @ Work <ada@example.com>',
  ])('is read from %s', (text) => expect(parseMailbox(text)).toBe('ada@example.com'));

  it.each([
    'bob@example.com <ada@example.com>',
    '"bob@example.com" <ada@example.com>',
    "'bob@example.com' <ada@example.com>",
    'bob@example.com, Ada <ada@example.com>',
    'Ada <ada@example.com> <bob@example.com>',
    'Ada ada@example.com',
    '"Ada <ada@example.com>',
  ])('is not read from %s', (text) => expect(parseMailbox(text)).toBeInstanceOf(InvalidEmailAddress));
});
