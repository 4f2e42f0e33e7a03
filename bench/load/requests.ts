import { writeCursor } from '../../src/ledger/feed-position.js';
import { TOPIC_KEY, emailOf, idOf } from '../records.js';
import { absent, addedByHand, below, fresh, halfPresent } from './addresses.js';
import { nextEvents, sparkpostBody } from './events.js';
import {
  BATCH_SIZE,
  CHECK_SIZE,
  FEED_PAGE_SIZE,
  PAGE_SIZE,
  inTurns,
  recordsBeforeDeepPage,
  type EventSource,
  type Job,
} from './job.js';

/** The bytes of a request, and the correct response. */
export interface HttpRequest {
  bytes: string;
  status: number;
  accepts(body: Body): boolean;
}

export interface Body {
  id?: string;
  email?: string;
  name?: string;
  has_more?: boolean;
  data?: { id?: string; email?: string; verdict?: string }[];
}

/** More than a cache of a few thousand pages holds. */
const DIFFERENT_GETS = 60_000;

/** A supply of requests. Only those with new addresses or events are built during the measurement. */
export function requestsOf({ workload, records, target, sources }: Job): () => HttpRequest {
  const { rows, accountId } = records;
  const { port, apiKey } = target as { port: number; apiKey: string };
  const headers = (authorization = `Bearer ${apiKey}`) =>
    `Host: 127.0.0.1:${port}\r\nAuthorization: ${authorization}\r\nAccept: application/json\r\n`;
  const get = (path: string) => `GET ${path} HTTP/1.1\r\n${headers()}\r\n`;
  const post = (path: string, body: string, authorization?: string) =>
    `POST ${path} HTTP/1.1\r\n${headers(authorization)}Content-Type: application/json\r\n` +
    `Content-Length: ${body.length}\r\n\r\n${body}`;

  const lookup = (refOf: (number: number) => string, field: 'id' | 'email') =>
    inTurns((index): HttpRequest => {
      const isHit = index % 2 === 0;
      const ref = refOf(isHit ? below(rows) : absent());
      return {
        bytes: get(`/suppressions/${encodeURIComponent(ref)}`),
        status: isHit ? 200 : 404,
        accepts: (body) => (isHit ? body[field] === ref : body.name === 'not_found'),
      };
    }, DIFFERENT_GETS);

  const check = (purpose: object) =>
    inTurns((): HttpRequest => {
      const body = JSON.stringify({ emails: halfPresent(rows, CHECK_SIZE), ...purpose });
      return {
        bytes: post('/suppressions/check', body),
        status: 200,
        accepts: ({ data = [] }) =>
          data.length === CHECK_SIZE &&
          data.every(({ verdict }, index) => verdict === (index % 2 ? 'send' : 'suppressed')),
      };
    });

  const list = (cursor: string, first: number) => (): HttpRequest => ({
    bytes: get(`/suppressions?limit=${PAGE_SIZE}${cursor}`),
    status: 200,
    accepts: ({ data = [], has_more }) =>
      data.length === PAGE_SIZE &&
      data.every(({ email }, index) => email === emailOf(first - index)) &&
      has_more === true,
  });

  const add = (emails: string[]): HttpRequest => ({
    bytes: post('/suppressions/batch/add', JSON.stringify({ emails })),
    status: 201,
    accepts: ({ data = [] }) => new Set(data.map(({ id }) => id)).size === BATCH_SIZE,
  });

  const deliver = ({ path, authorization }: EventSource, events: number): HttpRequest => ({
    bytes: post(path, sparkpostBody(nextEvents(rows, events)), authorization),
    status: 200,
    accepts: (body) => Object.keys(body).length === 0,
  });

  switch (workload) {
    case 'get-by-address':
      return lookup(emailOf, 'email');
    case 'get-by-id':
      return lookup((number) => idOf(number, rows), 'id');
    case 'check':
      return check({});
    case 'check-topic':
      return check({ topic: TOPIC_KEY });
    case 'first-page':
      return inTurns(list('', rows - 1), 1);
    case 'deep-page': {
      const first = rows - 1 - recordsBeforeDeepPage(rows);
      return inTurns(list(`&after=${idOf(first + 1, rows)}`, first), 1);
    }
    case 'feed-page':
      return inTurns(() => {
        const position = 1 + below(rows - FEED_PAGE_SIZE);
        const after = writeCursor({ accountId, position, changeId: idOf(position - 1, rows) });
        return {
          bytes: get(`/changes?limit=${FEED_PAGE_SIZE}&after=${after}`),
          status: 200,
          accepts: ({ data = [] }) => data.length === FEED_PAGE_SIZE && data[0]!.email === emailOf(position),
        };
      });
    case 'add-present':
      return inTurns(() => add(addedByHand(rows, BATCH_SIZE)));
    case 'add-new':
      return () => add(fresh(BATCH_SIZE));
    case 'deliver-batches':
      return () => deliver(sources.plain, BATCH_SIZE);
    case 'deliver-counted-batches':
      return () => deliver(sources.limited, BATCH_SIZE);
    case 'deliver-singles':
      return () => deliver(sources.plain, 1);
    case 'deliver-counted-singles':
      return () => deliver(sources.limited, 1);
  }
}
