/** The beginning of a file that is arriving, and all of it. */
export interface Peeked {
  head: Buffer;
  all: AsyncIterable<Buffer>;
}

/** Reads the beginning of a file until it is enough, or the file ends. */
export async function peek(
  file: AsyncIterable<Buffer>,
  isEnough: (head: Buffer) => boolean,
): Promise<Peeked> {
  const pieces = file[Symbol.asyncIterator]();
  const parts: Buffer[] = [];
  let head: Buffer = Buffer.alloc(0);
  while (!isEnough(head)) {
    const { value, done } = await pieces.next();
    if (done) {
      break;
    }
    parts.push(value);
    head = Buffer.concat(parts);
  }
  return { head, all: continued(head, pieces) };
}

async function* continued(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield head;
    for (let next = await rest.next(); !next.done; next = await rest.next()) {
      yield next.value;
    }
  } finally {
    await rest.return?.();
  }
}
