import { toUtf8 } from '../../src/files/streams.js';

async function decode(bytes: Buffer, pieceLength: number): Promise<string> {
  async function* pieces() {
    for (let start = 0; start < bytes.length; start += pieceLength) {
      yield bytes.subarray(start, start + pieceLength);
    }
  }
  const decoded: Buffer[] = [];
  for await (const piece of toUtf8(pieces())) {
    decoded.push(piece);
  }
  return Buffer.concat(decoded).toString();
}

const TEXT = 'email\nzoë@example.com\n✓😀\n';
const LATIN_1 = Buffer.from('\xff\n', 'latin1');
const UTF_16LE = Buffer.from(`\ufeff${TEXT}`, 'utf16le');

describe.each([1, 2, 3, 4, 1_000])('toUtf8 with pieces of %d bytes', (pieceLength) => {
  it.each([
    ['UTF-8', Buffer.from(TEXT)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${TEXT}`)],
    ['UTF-16 with a byte order mark', UTF_16LE],
    ['big-endian UTF-16 with a byte order mark', Buffer.from(UTF_16LE).swap16()],
  ])('reads %s', async (_encoding, bytes) => {
    await expect(decode(bytes, pieceLength)).resolves.toBe(TEXT);
  });

  it.each([
    ['', ''],
    ['a', 'a'],
    ['ab', 'ab'],
  ])('reads the short file "%s"', async (text, expected) => {
    await expect(decode(Buffer.from(text), pieceLength)).resolves.toBe(expected);
  });

  it.each([
    ['Latin-1', Buffer.from('a\nb\nzo\xeb@example.com\nc', 'latin1'), 'not_utf8', 3],
    ['Latin-1 after UTF-8', Buffer.concat([Buffer.from('aaaü\nb\nc\n✓😀\n'), LATIN_1]), 'not_utf8', 5],
    ['Latin-1 after U+FFFD', Buffer.concat([Buffer.from('a\n\ufffd\nb\nc\n'), LATIN_1]), 'not_utf8', 5],
    ['Latin-1 after a byte order mark', Buffer.concat([Buffer.from('\ufeffa\nb\n'), LATIN_1]), 'not_utf8', 3],
    [
      'half a surrogate pair of UTF-16',
      Buffer.from('\ufeffa\n\ufffd\n😀\n\ud83d\nb\n', 'utf16le'),
      'not_utf8',
      4,
    ],
    ['UTF-8 that ends inside a character', Buffer.from('a\n✓').subarray(0, 4), 'not_utf8', 2],
    ['NUL', Buffer.from('a\nb\n\0\n'), 'nul_character', 3],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0]), 'not_utf8', 1],
    ['a spreadsheet', Buffer.from('PK\x03\x04'), 'not_utf8', 1],
    ['an empty ZIP archive', Buffer.from('PK\x05\x06\0\0'), 'not_utf8', 1],
    ['UTF-16 without a byte order mark', Buffer.from('ada\n', 'utf16le'), 'nul_character', 1],
  ])('refuses %s with its line', async (_encoding, bytes, problem, line) => {
    await expect(decode(bytes, pieceLength)).rejects.toMatchObject({ problem, line });
  });

  it('closes a file that it refuses', async () => {
    let isClosed = false;
    async function* pieces() {
      try {
        yield Buffer.from('PK\x03\x04');
        yield Buffer.from('more');
      } finally {
        isClosed = true;
      }
    }
    await expect(toUtf8(pieces()).next()).rejects.toThrow('spreadsheet');
    expect(isClosed).toBe(true);
  });

  it.each([
    ['xlsx', Buffer.from('PK\x03\x04')],
    ['xls', Buffer.from([0xd0, 0xcf, 0x11, 0xe0])],
  ])('says that a file of the type %s is a spreadsheet', async (_type, bytes) => {
    await expect(decode(bytes, pieceLength)).rejects.toThrow('spreadsheet');
  });
});
