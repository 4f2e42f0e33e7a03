import fc from 'fast-check';
import { cases } from '../support/cases.js';
import { anyText } from '../support/any-text.js';
import { createWorld, type World } from '../support/world.js';

/** The documented error codes of each status. */
const CODES: Record<number, string[]> = {
  400: ['validation_error', 'route_not_found'],
  401: ['missing_api_key', 'restricted_api_key'],
  403: ['invalid_api_key', 'beta_access_required'],
  404: ['suppression_not_found', 'history_not_found', 'route_not_found'],
  405: ['method_not_allowed'],
  413: ['payload_too_large'],
  415: ['unsupported_media_type'],
};

describe('a request', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it('with any bytes in its path, query, headers and body gets a documented response', async () => {
    const method = fc.constantFrom('get', 'post', 'delete', 'put', 'patch', 'head', 'options');
    const path = fc.oneof(
      fc.constantFrom(
        '/suppressions',
        '/suppressions/batch/add',
        '/suppressions/batch/remove',
        '/suppressions/check',
      ),
      anyText().map((text) => `/suppressions/${encodeURIComponent(text.toWellFormed())}`),
      fc.string().map((text) => `/suppressions/${text.replaceAll(/[^\x21-\x7e]|[?#]/g, '')}`),
      fc.emailAddress().map((email) => `/suppressions/${encodeURIComponent(email)}/history`),
    );
    const query = fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      fc.webQueryParameters().map((text) => `?${text}`),
      fc.string().map((text) => `?after=${encodeURIComponent(text.toWellFormed())}`),
    );
    const json = fc.oneof(
      fc.json().map((text) => Buffer.from(text)),
      fc.record({ emails: fc.array(fc.oneof(anyText(), fc.anything())) }).map((body) => toJson(body)),
      fc.record({ email: fc.string({ unit: 'grapheme' }), note: anyText() }).map((body) => toJson(body)),
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    );
    const contentType = fc.constantFrom(
      'application/json',
      'application/json; charset=utf-16',
      'text/plain',
      '',
    );
    await fc.assert(
      fc.asyncProperty(method, path, query, json, contentType, async (verb, where, search, body, type) => {
        const response = await fetch(`${world.url}${where}${search}`, {
          method: verb.toUpperCase(),
          headers: { authorization: `Bearer ${world.alice}`, ...(type && { 'content-type': type }) },
          ...(!['get', 'head'].includes(verb) && { body: Uint8Array.from(body) }),
        });
        const text = await response.text();
        if (response.status >= 300) {
          expect(CODES[response.status]).toBeDefined();
          if (verb !== 'head') {
            expect(CODES[response.status]).toContain(JSON.parse(text).code);
          }
        }
      }),
      { numRuns: cases(150, 400) },
    );
  });
});

function toJson(value: unknown): Buffer {
  return Buffer.from(
    JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? '',
  );
}
