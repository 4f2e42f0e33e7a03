import { readFile } from 'node:fs/promises';
import * as apiKeyErrors from '../../src/api-keys/errors.js';
import type { ApiErrorClass } from '../../src/http/errors/api-error.js';
import type { ErrorBody } from '../../src/http/errors/error-body.js';
import { ApiError } from '../../src/http/errors/api-error.js';
import * as ledgerErrors from '../../src/ledger/errors.js';
import * as bodyErrors from '../../src/http/errors/body-errors.js';
import * as httpErrors from '../../src/http/errors/errors.js';
import * as importErrors from '../../src/imports/errors.js';
import * as inboundErrors from '../../src/inbound/errors.js';
import * as parsingErrors from '../../src/inbound/parsing/errors.js';
import * as providerErrors from '../../src/inbound/providers/errors.js';
import * as sourceErrors from '../../src/inbound/sources/errors.js';
import * as ruleErrors from '../../src/rules/errors.js';
import * as scrubErrors from '../../src/scrubs/errors.js';
import * as suppressionErrors from '../../src/suppressions/errors.js';
import * as topicErrors from '../../src/topics/errors.js';
import * as linkErrors from '../../src/unsubscribe-links/errors.js';
import * as unsubscribeErrors from '../../src/unsubscribe/errors.js';
import * as webhookErrors from '../../src/webhooks/errors.js';

/** Every error that has a response. */
const CLASSES = [
  httpErrors,
  bodyErrors,
  apiKeyErrors,
  ledgerErrors,
  importErrors,
  inboundErrors,
  parsingErrors,
  providerErrors,
  sourceErrors,
  ruleErrors,
  scrubErrors,
  suppressionErrors,
  topicErrors,
  linkErrors,
  unsubscribeErrors,
  webhookErrors,
]
  .flatMap((module) => Object.values(module as Record<string, unknown>))
  .filter((value) => typeof value === 'function' && value.prototype instanceof ApiError) as (ApiErrorClass &
  Function)[];

describe('docs/errors.md', () => {
  let chapters: Map<string, string>;
  beforeAll(async () => {
    const text = await readFile(new URL('../../docs/errors.md', import.meta.url), 'utf8');
    chapters = new Map(
      text
        .split(/^## /m)
        .slice(1)
        .map((chapter) => [chapter.split('\n')[0]!, chapter]),
    );
  });

  it.each(CLASSES.map((errorClass) => [errorClass.name, errorClass] as const))(
    'shows the body of %s as it is sent',
    (_name, errorClass) => {
      const body = errorClass.example().toBody();
      const chapter = chapters.get(body.code) ?? '';
      const shown = [...chapter.matchAll(/```json\n(.*)\n```/g)].map(
        ([, json]) => JSON.parse(json!) as ErrorBody,
      );
      expect(shown).toContainEqual(body);
      expect(chapter).toContain(`\n${body.statusCode}, name \`${body.name}\`. `);
    },
  );

  it('has a heading for each code and no others', () => {
    const codes = new Set(CLASSES.map((errorClass) => errorClass.example().code));
    const headings = [...chapters.keys()].filter((heading) => heading !== 'Clients');
    expect(headings.toSorted()).toEqual([...codes].toSorted());
  });
});
