import { once } from 'node:events';
import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { writingProblem } from '../../../process/file-problem.js';
import { OperatorError } from '../../../process/operator-error.js';
import { printableLines } from '../../../process/printable.js';
import { OutputError } from '../../output.js';
import { stopping } from '../../stopping.js';

const ONLY_OWNER = 0o600;

/**
 * Writes a response to a file or to standard output. The file gets its name only when it is complete; a device or a pipe is
 * written to directly. Only its owner can read a new file, which has personal data; a file that exists keeps its mode.
 *
 * @param file - undefined for standard output
 * @throws {OperatorError} if the service cuts the connection, or the file cannot be written
 */
export async function download(
  response: IncomingMessage,
  file: string | undefined,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<void> {
  if (file === undefined) {
    return copy(response, process.stdout, onBytes, process.stdout.isTTY ? textForTerminal() : undefined);
  }
  const existing = await stat(file).catch(() => undefined);
  const isFile = existing?.isFile() ?? true;
  const part = isFile ? `${file}.part` : file;
  const opened = await create(part, file, existing?.mode).catch((error: unknown) => {
    response.destroy();
    throw error;
  });
  const output = opened.createWriteStream();
  try {
    await copy(response, output, onBytes);
    output.end();
    await finished(output).catch((error: unknown) => {
      throw new OutputError(error as NodeJS.ErrnoException);
    });
    if (isFile) {
      await rename(part, file);
    }
  } catch (error) {
    output.destroy();
    if (isFile) {
      await rm(part, { force: true });
    }
    throw error;
  }
}

async function create(part: string, file: string, mode = ONLY_OWNER): Promise<FileHandle> {
  try {
    const opened = await open(part, 'w', ONLY_OWNER);
    if ((await opened.stat()).isFile()) {
      await opened.chmod(mode & 0o777);
    }
    return opened;
  } catch (error) {
    throw new OperatorError(`${file} cannot be written: ${writingProblem(error)}`);
  }
}

/** Decodes the pieces of a file, without characters that control the terminal, except those that end a line. */
function textForTerminal(): (piece: Buffer) => string {
  const decoder = new TextDecoder();
  return (piece) => printableLines(decoder.decode(piece, { stream: true }).replaceAll('\r', ''));
}

async function copy(
  response: IncomingMessage,
  output: Writable,
  onBytes: (bytes: number) => void,
  transform: (piece: Buffer) => Buffer | string = (piece) => piece,
): Promise<void> {
  let failure: Error | undefined;
  output.once('error', (error) => {
    failure = new OutputError(error);
    response.destroy();
  });
  let bytes = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      bytes += piece.length;
      onBytes(bytes);
      if (!output.write(transform(piece))) {
        await once(output, 'drain');
      }
    }
  } catch (error) {
    throw (
      failure ??
      (stopping.signal.aborted
        ? error
        : new OperatorError('The service cut the connection: the output is incomplete.'))
    );
  }
  if (failure) {
    throw failure;
  }
}
