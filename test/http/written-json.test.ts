import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import type { WritesJson } from '../../src/http/responses/response.js';
import { CAUSES } from '../../src/ledger/cause.js';
import { RULE_EFFECTS } from '../../src/rules/rule.entity.js';
import type { CheckedEmail } from '../../src/suppressions/checks/check.service.js';
import { BatchAddedDto } from '../../src/suppressions/dto/add.dto.js';
import { CheckedDto } from '../../src/suppressions/dto/checked.dto.js';
import { ListPageDto } from '../../src/suppressions/dto/list.dto.js';
import type { FoundSuppression } from '../../src/suppressions/suppression-lookup.js';
import { VERDICTS, type Match } from '../../src/suppressions/verdict.js';
import { anyText } from '../support/any-text.js';

type WriterClass = new (...values: never[]) => WritesJson;

const SOURCES = join(import.meta.dirname, '../../src');
const MAX_ELEMENTS = 250;

/** Any text, and much of what JSON, UTF-8, or JavaScript writes in a special way. */
const text = fc.oneof(
  anyText(),
  fc.string({ unit: fc.constantFrom('"', '\\', '\n', '\u0001', '\u007f', '\u2028', '\ud800', 'ä', '😀') }),
);
const email = text.map((address) => address as EmailAddress);
const cause = fc.constantFrom(...CAUSES);
const id = fc.uuid();

const suppression: fc.Arbitrary<FoundSuppression> = fc.record({ id, email, cause, emailId: fc.option(id) });

const verdict = fc.constantFrom('send' as const, 'suppressed' as const);
const match: fc.Arbitrary<Match> = fc.oneof(
  fc.record({ type: fc.constant('suppression' as const), verdict, id, cause }),
  fc.record({
    type: fc.constantFrom('preference' as const, 'topic_default' as const),
    verdict,
    id,
    topicId: id,
  }),
  fc.record({
    type: fc.constant('rule' as const),
    verdict,
    id,
    effect: fc.constantFrom(...RULE_EFFECTS),
    topicId: fc.option(id),
  }),
);

const checked: fc.Arbitrary<CheckedEmail> = fc.record(
  {
    text,
    verdict: fc.constantFrom(...VERDICTS),
    suppression: fc.option(suppression),
    matches: fc.array(match, { maxLength: 3 }),
    link: fc.record({ email, url: fc.webUrl(), headers: fc.dictionary(text, text, { maxKeys: 2 }) }),
  },
  { requiredKeys: ['text', 'verdict', 'suppression', 'matches'] },
);

const listOf = <Element>(element: fc.Arbitrary<Element>) => fc.array(element, { maxLength: MAX_ELEMENTS });

/** Bodies of each class, with every kind of value that it may have. */
const BODIES = new Map<WriterClass, fc.Arbitrary<WritesJson>>([
  [BatchAddedDto, listOf(fc.record({ id })).map((records) => new BatchAddedDto(records))],
  [CheckedDto, fc.tuple(listOf(checked), fc.boolean()).map((values) => new CheckedDto(...values))],
  [
    ListPageDto,
    fc.record({ elements: listOf(suppression), hasMore: fc.boolean() }).map((page) => new ListPageDto(page)),
  ],
]);

/** The DTOs that write their own JSON. */
async function writers(): Promise<WriterClass[]> {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  const modules = files.filter((path) => path.endsWith('dto.ts')).map((path) => import(join(SOURCES, path)));
  const exported: unknown[] = (await Promise.all(modules)).flatMap((module) => Object.values(module));
  return exported.filter(
    (value): value is WriterClass => typeof value === 'function' && 'writeJson' in (value.prototype ?? {}),
  );
}

/** What a body has as its documentation has it: its own fields, and its getters. */
function plain(body: WritesJson): object {
  const documented: string[] = Reflect.getMetadata('swagger/apiModelPropertiesArray', body) ?? [];
  const fields = new Set([...Object.keys(body), ...documented.map((name) => name.slice(1))]);
  const values = [...fields].map((field) => [field, body[field as keyof WritesJson]]);
  return JSON.parse(JSON.stringify(Object.fromEntries(values)));
}

describe('bodies that write their own JSON', () => {
  it('write what they contain, whatever the values are', async () => {
    const classes = await writers();
    expect(new Set(classes)).toEqual(new Set(BODIES.keys()));
    for (const bodies of BODIES.values()) {
      fc.assert(
        fc.property(bodies, (body) => {
          const sent = Buffer.from(body.writeJson().join(''));
          expect(JSON.parse(sent.toString())).toEqual(plain(body));
        }),
        { numRuns: 30 },
      );
    }
  });
});
