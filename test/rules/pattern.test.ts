import fc from 'fast-check';
import { parseEmailAddress, type EmailAddress } from '../../src/email-address/email-address.js';
import { parsePattern, patternsMatching, type Pattern } from '../../src/rules/pattern.js';
import { Invalid } from '../../src/validation/parsers.js';

describe('a pattern', () => {
  it.each([
    ['Ada@Example.COM', 'ada@example.com'],
    [' ada+tag@example.com ', 'ada+tag@example.com'],
    ['Example.COM.', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['*.Bücher.Example', '*.xn--bcher-kva.example'],
    ['*.com', '*.com'],
    ['[192.0.2.1]', '[192.0.2.1]'],
    ['Abuse@*', 'abuse@*'],
    ['"a b"@*', '"a b"@*'],
  ])('%j is parsed as %j', (input, pattern) => {
    expect(parsePattern(input)).toBe(pattern);
  });

  it.each([
    '',
    '*',
    '*.',
    '@*',
    '*@*',
    '*@example.com',
    'a*@example.com',
    '*.ada@example.com',
    'exam*ple.com',
    '**.example.com',
    '*.*.example.com',
    '*.[192.0.2.1]',
    '*.[IPv6:2001:db8::1]',
    '@example.com',
    'ada@*.example.com',
    'two words',
    'a@b@*',
    '*.example.com@*',
    'example..com',
    '“example.com”',
    '^.*$',
    7,
    null,
    undefined,
  ])('%j is refused', (input) => {
    expect(parsePattern(input)).toBeInstanceOf(Invalid);
  });

  it.each([
    ['exa mple.com', 'must not contain spaces or angle brackets'],
    ['Ada <ada@example.com>', 'must not contain spaces or angle brackets'],
    ['@example.com', 'must not begin with an @: write a domain as example.com'],
    ['exam*ple.com', expect.stringMatching(/ \(abuse@\*\); elsewhere it must not contain an asterisk$/)],
    ['example..com', expect.stringMatching(/^must be an address .* \(abuse@\*\)$/)],
    ['@*', expect.stringMatching(/^must be an address .* \(abuse@\*\)$/)],
  ])('%j is refused with what is wrong', (input, problem) => {
    expect(parsePattern(input)).toEqual({ problem });
  });

  it('stays the same when it is parsed again', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (text) => {
        const email = parseEmailAddress(text) as EmailAddress;
        const plain = patternsMatching(email).filter(
          (pattern) => !email.includes('*') || !pattern.includes('@'),
        );
        expect(plain.map((pattern) => parsePattern(pattern))).toEqual(plain);
      }),
    );
  });
});

describe('the patterns that match an address', () => {
  it.each<[string, string[]]>([
    ['ada@com', ['ada@com', 'com', 'ada@*']],
    ['ada@example.com', ['ada@example.com', 'example.com', '*.com', 'ada@*']],
    [
      'ada@mail.eu.example.com',
      [
        'ada@mail.eu.example.com',
        'mail.eu.example.com',
        '*.eu.example.com',
        '*.example.com',
        '*.com',
        'ada@*',
      ],
    ],
    ['ada@[192.0.2.1]', ['ada@[192.0.2.1]', '[192.0.2.1]', 'ada@*']],
    ['"a@b"@example.com', ['"a@b"@example.com', 'example.com', '*.com', '"a@b"@*']],
  ])('of %s, the most specific first', (email, patterns) => {
    expect(patternsMatching(email as EmailAddress)).toEqual(patterns);
  });

  it('are those that a slow, obvious matcher finds', () => {
    const label = fc.constantFrom('a', 'b', 'com');
    const domain = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
    const local = fc.constantFrom('ada', 'abuse');
    const address = fc.tuple(local, domain).map(([name, host]) => `${name}@${host}` as EmailAddress);
    const pattern = fc.oneof(
      address,
      domain,
      domain.map((host) => `*.${host}`),
      local.map((name) => `${name}@*`),
    ) as fc.Arbitrary<Pattern>;
    fc.assert(
      fc.property(address, pattern, (email, one) => {
        expect(patternsMatching(email).includes(one)).toBe(matchesObviously(one, email));
      }),
      { numRuns: 1000 },
    );
  });
});

function matchesObviously(pattern: Pattern, email: EmailAddress): boolean {
  const [name, host] = email.split('@') as [string, string];
  if (pattern.startsWith('*.')) {
    return host.endsWith(pattern.slice(1));
  }
  return [email, host, `${name}@*`].includes(pattern);
}
