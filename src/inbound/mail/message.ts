import PostalMime, { type Attachment, type Header } from 'postal-mime';
import { readableHead } from './readable-head.js';

/** A message with its MIME structure undone, as far as the reading of reports needs it. */
export interface Message {
  /** In order; names in lower case. */
  headers: Header[];
  /** The human-readable part; HTML made into text. */
  text: string;
  /** Every other part, returned messages among them, unopened. */
  parts: Part[];
}

export interface Part {
  mimeType: string;
  /** Decoded from its transfer encoding, read as UTF-8 (RFC 6532), ends of lines as LF. */
  text: string;
}

const MAX_NESTING_DEPTH = 20;
const MAX_HEADERS_BYTES = 64 * 1024;
const MAX_PART_BYTES = 256 * 1024;

/** Opens the MIME structure of a message of any size, in bounded time. What cannot be opened reads as empty. */
export async function readMessage(raw: Uint8Array): Promise<Message> {
  const head = readableHead(raw);
  try {
    const { headers, text, html, attachments } = await PostalMime.parse(head, {
      forceRfc822Attachments: true,
      maxNestingDepth: MAX_NESTING_DEPTH,
      maxHeadersSize: MAX_HEADERS_BYTES,
    });
    const words = text?.trim() ? text : textOf(html ?? '');
    const isBroken = words.trim() === '' && attachments.length === 0;
    return { headers, text: isBroken ? bodyOf(head) : words, parts: attachments.map(toPart) };
  } catch {
    return { headers: [], text: '', parts: [] };
  }
}

/** The first value of a header field; the name in lower case. */
export function header(message: Message, name: string): string {
  return message.headers.find(({ key }) => key === name)?.value ?? '';
}

/** The text of the first part of one of these types. */
export function partOf(message: Message, ...mimeTypes: string[]): string | undefined {
  return message.parts.find(({ mimeType }) => mimeTypes.includes(mimeType))?.text;
}

function toPart({ mimeType, content }: Attachment): Part {
  const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
  const text = new TextDecoder().decode(bytes.subarray(0, MAX_PART_BYTES));
  return { mimeType, text: text.replace(/\r\n?/g, '\n') };
}

/** All below the header, where no part can be found: boundaries do get lost under way. */
function bodyOf(head: Uint8Array): string {
  const text = new TextDecoder().decode(head.subarray(0, MAX_PART_BYTES));
  const blank = text.indexOf('\n\n');
  return blank < 0 ? '' : text.slice(blank);
}

/** HTML as lines of text: enough for the notes that mail servers write. */
function textOf(html: string): string {
  return html
    .replace(/<(?:br|\/?p|\/?div|\/?tr|\/?li|\/?h\d)\b[^<>]{0,500}>/gi, '\n')
    .replace(/<[a-z!/][^<>@]{0,500}>/gi, ' ')
    .replace(/&lt;/gi, '<')
    .replace(/&gt;/gi, '>')
    .replace(/&quot;/gi, '"')
    .replace(/&#0?39;|&apos;/gi, "'")
    .replace(/&nbsp;/gi, ' ')
    .replace(/&amp;/gi, '&');
}
