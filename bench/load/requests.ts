import { writeCursor } from '../../src/ledger/feed-position.js';
import { emailOf, idOf } from '../records.js';
import { TOPIC_KEY } from '../topic-and-rules.js';
import { absent, below, fresh, halfPresent, settled } from './addresses.js';
import { nextEvents, sparkpostBody } from './events.js';
import {
  BATCH_SIZE,
  CHECK_SIZE,
  FEED_PAGE_SIZE,
  PAGE_SIZE,
  recordsBeforeDeepPage,
  type EventSources,
  type Job,
  type Workload,
} from './job.js';

/** The octets of a request, and what its answer has to be. */
export interface HttpRequest {
  bytes: string;
  status: number;
  /** Throws when a body is not the answer to this request. */
  verify(body: Body): void;
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
const DIFFERENT_POSTS = 100;

/** A source of requests that lasts as long as the measurement. Only those that bring something new are made on the way. */
export function requestsOf({ workload, records, target, sources }: Job): () => HttpRequest {
  const { port, apiKey } = target as { port: number; apiKey: string };
  const head = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${apiKey}\r\nAccept: application/json\r\n`;
  const get = (path: string) => `GET ${path} HTTP/1.1\r\n${head}\r\n`;
  const post = (path: string, emails: string[], more: object = {}) => {
    const body = JSON.stringify({ emails, ...more });
    const type = 'Content-Type: application/json\r\n';
    return `POST ${path} HTTP/1.1\r\n${head}${type}Content-Length: ${body.length}\r\n\r\n${body}`;
  };
  const deliver = (source: keyof EventSources, body: string) => {
    const { path, authorization } = sources[source];
    const credential = `Host: 127.0.0.1:${port}\r\nAuthorization: ${authorization}\r\n`;
    const type = 'Content-Type: application/json\r\n';
    return `POST ${path} HTTP/1.1\r\n${credential}${type}Content-Length: ${body.length}\r\n\r\n${body}`;
  };
  return WORKLOADS[workload](records.rows, get, post, deliver, records.accountId);
}

type Make = (
  rows: number,
  get: (path: string) => string,
  post: (path: string, emails: string[], more?: object) => string,
  deliver: (source: keyof EventSources, body: string) => string,
  accountId: number,
) => () => HttpRequest;

const WORKLOADS: Record<Workload, Make> = {
  'get-by-address': (rows, get) =>
    inTurns(DIFFERENT_GETS, (index) => {
      const isHit = index % 2 === 0;
      const email = emailOf(isHit ? below(rows) : absent());
      return {
        bytes: get(`/suppressions/${encodeURIComponent(email)}`),
        status: isHit ? 200 : 404,
        verify: (body) => expect(isHit ? body.email === email : body.name === 'not_found', body),
      };
    }),

  'get-by-id': (rows, get) =>
    inTurns(DIFFERENT_GETS, (index) => {
      const isHit = index % 2 === 0;
      const id = idOf(isHit ? below(rows) : absent(), rows);
      return {
        bytes: get(`/suppressions/${id}`),
        status: isHit ? 200 : 404,
        verify: (body) => expect(isHit ? body.id === id : body.name === 'not_found', body),
      };
    }),

  check: checks({}),
  'check-topic': checks({ topic: TOPIC_KEY }),

  'first-page': (rows, get) => listing(get(`/suppressions?limit=${PAGE_SIZE}`), rows - 1),

  'deep-page': (rows, get) => {
    const first = rows - 1 - recordsBeforeDeepPage(rows);
    return listing(get(`/suppressions?limit=${PAGE_SIZE}&after=${idOf(first + 1, rows)}`), first);
  },

  'feed-page': (rows, get, _post, _deliver, accountId) =>
    inTurns(DIFFERENT_POSTS, () => {
      const position = 1 + below(rows - FEED_PAGE_SIZE);
      const after = writeCursor({ accountId, position, changeId: idOf(position - 1, rows) });
      return {
        bytes: get(`/changes?limit=${FEED_PAGE_SIZE}&after=${after}`),
        status: 200,
        verify: ({ data = [] }) =>
          expect(data.length === FEED_PAGE_SIZE && data[0]!.email === emailOf(position), data[0]),
      };
    }),

  'add-present': (rows, _get, post) =>
    inTurns(DIFFERENT_POSTS, () => adding(post('/suppressions/batch/add', settled(rows, BATCH_SIZE)))),

  'add-new': (_rows, _get, post) => () => adding(post('/suppressions/batch/add', fresh(BATCH_SIZE))),

  'deliver-batches': deliveries('plain', BATCH_SIZE),
  'deliver-counted-batches': deliveries('limited', BATCH_SIZE),
  'deliver-singles': deliveries('plain', 1),
  'deliver-counted-singles': deliveries('limited', 1),
};

function checks(purpose: object): Make {
  return (rows, _get, post) =>
    inTurns(DIFFERENT_POSTS, () => ({
      bytes: post('/suppressions/check', halfPresent(rows, CHECK_SIZE), purpose),
      status: 200,
      verify: ({ data = [] }) => {
        const isRight = data.every(({ verdict }, index) => verdict === (index % 2 ? 'send' : 'suppressed'));
        expect(data.length === CHECK_SIZE && isRight, data.length);
      },
    }));
}

/** Deliveries with this number of new events each. */
function deliveries(source: keyof EventSources, events: number): Make {
  return (rows, _get, _post, deliver) => () => ({
    bytes: deliver(source, sparkpostBody(nextEvents(rows, events))),
    status: 200,
    verify: (body) => expect(Object.keys(body).length === 0, body),
  });
}

function inTurns(count: number, make: (index: number) => HttpRequest): () => HttpRequest {
  const requests = Array.from({ length: count }, (_, index) => make(index));
  let next = 0;
  return () => requests[next++ % count]!;
}

function listing(bytes: string, first: number): () => HttpRequest {
  const request: HttpRequest = {
    bytes,
    status: 200,
    verify: ({ data = [], has_more }) => {
      const isRight = data.every(({ email }, index) => email === emailOf(first - index));
      expect(data.length === PAGE_SIZE && isRight && has_more === true, data[0]);
    },
  };
  return () => request;
}

function adding(bytes: string): HttpRequest {
  return {
    bytes,
    status: 201,
    verify: ({ data = [] }) => expect(new Set(data.map(({ id }) => id)).size === BATCH_SIZE, data[0]),
  };
}

function expect(isRight: boolean, shown: unknown): void {
  if (!isRight) {
    throw new Error(`a wrong answer: ${JSON.stringify(shown)}`);
  }
}
