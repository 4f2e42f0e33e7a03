import fc from 'fast-check';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { CAUSES } from '../../src/ledger/cause.js';
import { RULE_EFFECTS } from '../../src/rules/rule.entity.js';
import { CheckedDto } from '../../src/suppressions/dto/checked.dto.js';
import { VERDICTS, type Match } from '../../src/suppressions/verdict.js';
import { anyText } from '../support/any-text.js';

const record = fc.record({
  id: fc.uuid(),
  email: fc
    .constantFrom('ada@example.com', '"\\\u0001"@example.com', 'zoë@example.com')
    .map((email) => email as EmailAddress),
  cause: fc.constantFrom(...CAUSES),
  emailId: fc.option(fc.uuid()),
  createdAt: fc.constantFrom('2026-01-15 09:30:00', '2026-01-15 09:30:00.123'),
});

const match: fc.Arbitrary<Match> = fc.oneof(
  fc.record({
    type: fc.constant('suppression' as const),
    verdict: fc.constant('suppressed' as const),
    id: fc.uuid(),
    cause: fc.constantFrom(...CAUSES),
  }),
  fc.record({
    type: fc.constant('rule' as const),
    verdict: fc.constant('send' as const),
    id: fc.uuid(),
    effect: fc.constantFrom(...RULE_EFFECTS),
    topicId: fc.option(fc.uuid()),
  }),
);

const checked = fc.record({
  text: anyText(),
  verdict: fc.constantFrom(...VERDICTS),
  suppression: fc.option(record),
  matches: fc.array(match, { maxLength: 3 }),
});

describe('the JSON of a check', () => {
  it.each([false, true])('is what JSON.stringify writes, explained: %s', (explain) => {
    fc.assert(
      fc.property(fc.array(checked, { maxLength: 250 }), (emails) => {
        const dto = new CheckedDto(emails, explain);
        expect(dto.writeJson().join('')).toBe(JSON.stringify({ object: dto.object, data: dto.data }));
      }),
      { numRuns: 30 },
    );
  });
});
