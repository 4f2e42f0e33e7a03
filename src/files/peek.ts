/** The beginning of a file that is arriving, and all of it. */
export interface Peeked {
  head: Buffer;
  all: AsyncIterable<Buffer>;
}

/**
 * Reads the beginning of a file until it is enough, or the file ends.
 *
 * @param isEnough - gets each piece, and the length with it
 */
export async function peek(
  file: AsyncIterable<Buffer>,
  isEnough: (piece: Buffer, length: number) => boolean,
): Promise<Peeked> {
  const pieces = file[Symbol.asyncIterator]();
  const parts: Buffer[] = [];
  let length = 0;
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    parts.push(next.value);
    length += next.value.length;
    if (isEnough(next.value, length)) {
      break;
    }
  }
  const head = Buffer.concat(parts);
  return { head, all: continued(head, pieces) };
}

/** All pieces of a file whose first one was read. Stops the source if its reader stops. */
export async function* continued<Piece>(first: Piece, rest: AsyncIterator<Piece>): AsyncGenerator<Piece> {
  try {
    yield first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) {
      yield next.value;
    }
  } finally {
    await rest.return?.();
  }
}
