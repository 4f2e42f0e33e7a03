import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { raw, type Request, type Response } from 'express';
import { DataSource } from 'typeorm';
import { POSTED_EVENTS } from '../../audit/actor.js';
import { BatchedReads } from '../../database/batched-reads.js';
import { LOOKUPS } from '../../database/database.module.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { hasBody, readBody } from '../../http/body/read-body.js';
import { readArriving } from '../../http/requests/senders.js';
import { MEBIBYTE } from '../../http/route.js';
import { MAX_MESSAGE_BYTES, readHeadOf, MessageTooLargeError } from '../mail/message-head.js';
import { providerOf } from '../providers/providers.js';
import { UnknownSourceError } from './errors.js';
import type { Source } from './source.entity.js';

/** A batch of SparkPost may have a thousand events of more than a kilobyte. The other providers send less. */
const MAX_DELIVERY_BYTES = 2 * MEBIBYTE;
/** Ignores the content type, since Amazon SNS declares its JSON as `text/plain`. */
const readBytes = raw({ type: () => true, limit: MAX_DELIVERY_BYTES });

/** A delivery to a source that exists. */
export interface DeliveryRequest extends Request {
  source: Source;
  /** Exactly the bytes that arrived, since they were signed; only the first ones of a large message. */
  body: Buffer;
}

const FIND = new PreparedStatement<Source>(
  'find-sources-by-url-id',
  `SELECT
    id, account_id AS "accountId", url_id AS "urlId", provider, name, secrets, options, created_at AS "createdAt",
    paused_at AS "pausedAt", bad_signatures AS "badSignatures", last_error AS "lastError", last_error_at AS "lastErrorAt"
  FROM sources
  WHERE url_id = ANY ($1)`,
);
const URL_ID = /^[\w-]{22,64}$/;

/** Lookups of unknown URLs occupy at most two connections, however many are tried. */
const LOOKUPS_AT_ONCE = { maxBatch: 100, maxRunning: 2 };

/** Finds the source of a delivery before it reads the body, so that senders without a source use no memory. */
@Injectable()
export class SourceGuard implements CanActivate {
  private readonly reads = new BatchedReads<'all', string, Source | undefined>(
    { ...LOOKUPS_AT_ONCE, keyOf: (group) => group },
    (_group, urlIds) => this.findAll(urlIds),
  );

  constructor(@InjectDataSource(LOOKUPS) private readonly lookups: DataSource) {}

  /** @throws {UnknownSourceError} */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<DeliveryRequest>();
    request.source = await this.getByUrlId(request.params.source as string);
    if (!hasBody(request)) {
      request.body = Buffer.alloc(0);
    } else if (mayBeLarge(request) && providerOf(request.source.provider).takesMail) {
      request.body = await receiveMessage(request);
    } else {
      const response = context.switchToHttp().getResponse<Response>();
      await readBody(readBytes, request, response, MAX_DELIVERY_BYTES);
    }
    return true;
  }

  private async getByUrlId(urlId: string): Promise<Source> {
    const source = URL_ID.test(urlId) ? await this.reads.read('all', urlId) : undefined;
    if (!source || source.provider === POSTED_EVENTS) {
      throw new UnknownSourceError();
    }
    return source;
  }

  private async findAll(urlIds: string[]): Promise<(Source | undefined)[]> {
    const found = await FIND.run(this.lookups, [urlIds]);
    const byUrlId = new Map(found.map((source) => [source.urlId, source]));
    return urlIds.map((urlId) => byUrlId.get(urlId));
  }
}

/** A compressed body is left to another reader, which limits its decompressed size. */
function mayBeLarge({ headers }: Request): boolean {
  const isOpenEnded = headers['transfer-encoding'] !== undefined;
  const isLarge = isOpenEnded || Number(headers['content-length']) > MEBIBYTE;
  return isLarge && headers['content-encoding'] === undefined;
}

async function receiveMessage(request: Request): Promise<Buffer> {
  if (Number(request.headers['content-length']) > MAX_MESSAGE_BYTES) {
    throw new MessageTooLargeError();
  }
  try {
    return await readArriving(request, () => readHeadOf(request));
  } catch (error) {
    // The rest of the body is discarded, so that the caller reads the response.
    request.resume();
    throw error;
  }
}
