import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip, constants } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { ServiceUnavailableError } from '../http/errors/errors.js';
import { JobPiecesRepository } from './job-pieces.repository.js';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

const PIECE_BYTES = 1024 * 1024;
/** Small enough that handling a chunk does not block the event loop. */
const CHUNK_LENGTH = 8 * 1024;

/** What is kept of a file after its job has ended. */
export interface StoredFile {
  bytes: number;
  /** SHA-256, in hex. */
  hash: string;
}

/** The files of jobs, in the database, so that every instance can read them. */
@Injectable()
export class JobFiles {
  constructor(private readonly pieces: JobPiecesRepository) {}

  /** @returns null if the files of the account take too much space */
  async write(accountId: number, jobId: string, file: AsyncIterable<Buffer>): Promise<StoredFile | null> {
    let pieces = 0;
    let bytes = 0;
    const hash = createHash('sha256');
    for await (const piece of inPieces(file)) {
      const data = await compress(piece, { level: constants.Z_BEST_SPEED });
      const outcome = await this.pieces.append(accountId, jobId, pieces++, data);
      if (outcome === 'full') {
        return null;
      }
      if (outcome === 'late') {
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
      const data = await this.pieces.read(accountId, jobId, number);
      if (!data) {
        return;
      }
      const text = decoder.decode(await decompress(data), { stream: true });
      for (let start = 0; start < text.length; start += CHUNK_LENGTH) {
        yield text.slice(start, start + CHUNK_LENGTH);
      }
    }
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
