import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { CAUSES } from '../../src/ledger/cause.js';
import { BatchAddedDto } from '../../src/suppressions/dto/add.dto.js';
import { ListPageDto } from '../../src/suppressions/dto/list.dto.js';
import { anyText } from '../support/any-text.js';

describe('what a batch added', () => {
  it('writes the JSON that JSON.stringify writes', () => {
    const dto = new BatchAddedDto(Array.from({ length: 101 }, () => randomUUID()));
    expect(dto.writeJson().join('')).toBe(JSON.stringify({ data: dto.data }));
  });
});

describe('a page of the list', () => {
  it('writes the JSON that JSON.stringify writes', () => {
    const found = fc.record({
      id: fc.uuid(),
      email: fc
        .oneof(
          anyText(),
          fc.string({ unit: fc.constantFrom('"', '\\', '\u007f', '\u2028', '\ud800', 'ä', '😀') }),
        )
        .map((email) => email as EmailAddress),
      cause: fc.constantFrom(...CAUSES),
      emailId: fc.option(fc.uuid()),
      createdAt: fc.constantFrom('2026-01-15 09:30:00', '2026-01-15 09:30:00.1', '2026-01-15 09:30:00.123'),
    });
    const pages = fc.record({ elements: fc.array(found, { maxLength: 5 }), hasMore: fc.boolean() });
    fc.assert(
      fc.property(pages, (page) => {
        const dto = new ListPageDto(page);
        expect(dto.writeJson().join('')).toBe(
          JSON.stringify({ object: dto.object, has_more: dto.has_more, data: dto.data }),
        );
      }),
    );
  });
});
