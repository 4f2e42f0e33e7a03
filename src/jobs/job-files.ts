import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip, constants } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import { ServiceUnavailableError } from '../http/errors/errors.js';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

const PIECE_BYTES = 1024 * 1024;
/** Small enough that handling a chunk does not block the event loop. */
const CHUNK_LENGTH = 8 * 1024;

/** A client that does not complete a piece of a file within this time is gone. */
export const UPLOAD_LEASE = `interval '10 minutes'`;

/**
 * The most pieces of all files of an account, each with up to 1 MiB of text. Concurrent uploads may exceed this by one piece
 * each.
 */
const MAX_PIECES = 4 * 1024;

/** How long the file of the latest check of an account can still be imported. */
const KEPT_FOR = `interval '1 hour'`;

/** SQL condition: the job has ended, but its file is kept. */
export const IS_KEPT = `status = 'completed' AND leased_until > now()`;

/** `late` if the job is no longer uploading, `full` if the account has {@link MAX_PIECES}. */
type AppendOutcome = 'stored' | 'late' | 'full';

const APPEND = new PreparedStatement<{ outcome: AppendOutcome }>(
  'append-job-piece',
  `WITH job AS (
    UPDATE jobs
    SET leased_until = now() + ${UPLOAD_LEASE}
    WHERE account_id = $1 AND id = $2 AND status = 'uploading' AND leased_until >= now()
    RETURNING id
  ),
  stored AS (
    INSERT INTO job_pieces (account_id, job_id, number, data)
    SELECT $1, id, $3, $4
    FROM job
    WHERE (SELECT count(*) FROM job_pieces WHERE account_id = $1) < ${MAX_PIECES}
    RETURNING job_id
  )
  SELECT CASE
    WHEN EXISTS (SELECT FROM stored) THEN 'stored'
    WHEN EXISTS (SELECT FROM job) THEN 'full'
    ELSE 'late'
  END AS outcome`,
);

const READ_PIECE = new PreparedStatement<{ data: Buffer }>(
  'read-job-piece',
  'SELECT data FROM job_pieces WHERE account_id = $1 AND job_id = $2 AND number = $3',
);

/** Records the number of pieces, because instances of earlier versions may delete some of them. */
const KEEP = new PreparedStatement<{ id: string }>(
  'keep-file-of-ended-job',
  `UPDATE jobs
  SET leased_until = CASE WHEN id = $2 THEN now() + ${KEPT_FOR} END,
    checkpoint = CASE
      WHEN id = $2 THEN checkpoint || jsonb_build_object(
        'pieces', (SELECT count(*) FROM job_pieces WHERE account_id = $1 AND job_id = $2)
      )
      ELSE checkpoint
    END
  WHERE account_id = $1 AND (id = $2 OR ${IS_KEPT})
  RETURNING id`,
);

const TAKE = new PreparedStatement<{ pieces: number }>(
  'take-kept-file',
  `UPDATE jobs
  SET leased_until = NULL
  WHERE account_id = $1 AND id = $2 AND ${IS_KEPT}
  RETURNING (checkpoint ->> 'pieces')::integer AS pieces`,
);

const MOVE = new PreparedStatement<{ id: string }>(
  'move-job-pieces',
  `UPDATE job_pieces SET job_id = $3 WHERE account_id = $1 AND job_id = $2 RETURNING job_id AS id`,
);

/** The properties of a file that are kept after its job has ended. */
export interface StoredFile {
  bytes: number;
  /** SHA-256, in hex. */
  hash: string;
}

/** The files of jobs, in the database, so that every instance can read them. */
@Injectable()
export class JobFiles {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns null if the files of the account take too much space */
  async write(accountId: number, jobId: string, file: AsyncIterable<Buffer>): Promise<StoredFile | null> {
    let pieces = 0;
    let bytes = 0;
    const hash = createHash('sha256');
    for await (const piece of inPieces(file)) {
      const data = await compress(piece, { level: constants.Z_BEST_SPEED });
      const [appended] = await APPEND.run(this.dataSource, [accountId, jobId, pieces++, data]);
      if (appended!.outcome === 'full') {
        return null;
      }
      if (appended!.outcome === 'late') {
        throw new ServiceUnavailableError('The upload took too long. Send the file again.');
      }
      bytes += piece.length;
      hash.update(piece);
    }
    return { bytes, hash: hash.digest('hex') };
  }

  /** Reads a file of UTF-8 from its beginning. A file that was deleted is empty, and one that is being deleted ends early. */
  async *read(accountId: number, jobId: string): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    for (let number = 0; ; number++) {
      const [piece] = await READ_PIECE.run(this.dataSource, [accountId, jobId, number]);
      if (!piece) {
        return;
      }
      const text = decoder.decode(await decompress(piece.data), { stream: true });
      for (let start = 0; start < text.length; start += CHUNK_LENGTH) {
        yield text.slice(start, start + CHUNK_LENGTH);
      }
    }
  }

  /** Keeps the file of a job that has just ended, in place of any other that the account has kept. */
  async keep(accountId: number, id: string, transaction: EntityManager): Promise<void> {
    await KEEP.run(transaction, [accountId, id]);
  }

  /**
   * Moves a kept file to another job. If it returns false, the transaction must be rolled back.
   *
   * @returns whether the file was complete
   */
  async move(accountId: number, from: string, to: string, transaction: EntityManager): Promise<boolean> {
    const [kept] = await TAKE.run(transaction, [accountId, from]);
    return kept !== undefined && (await MOVE.run(transaction, [accountId, from, to])).length === kept.pieces;
  }
}

/** The {@link StoredFile.hash} that a file would have. */
export async function hashOf(file: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of file) {
    hash.update(piece);
  }
  return hash.digest('hex');
}

async function* inPieces(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of file) {
    parts.push(part);
    bytes += part.length;
    if (bytes >= PIECE_BYTES) {
      yield Buffer.concat(parts);
      parts = [];
      bytes = 0;
    }
  }
  if (bytes > 0) {
    yield Buffer.concat(parts);
  }
}
