const LINE_FEED = 0x0a;

/** Reads a file to its end. */
export async function countLines(file: AsyncIterable<Uint8Array>): Promise<number> {
  let lines = 0;
  for await (const piece of file) {
    for (let at = piece.indexOf(LINE_FEED); at >= 0; at = piece.indexOf(LINE_FEED, at + 1)) {
      lines++;
    }
  }
  return lines;
}
