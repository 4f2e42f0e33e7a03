import PostalMime, { decodeWords, Attachment } from 'postal-mime';
import { readableHead } from './message-head.js';
import type { Field } from './report-fields.js';

export interface Message {
  /** The header fields in order. */
  headers: Field[];
  /** The text for people; HTML is converted to plain text. */
  text: string;
  /** All other parts, including returned messages, which are not parsed. */
  parts: Part[];
}

export interface Part {
  /** The MIME type in lower case, without parameters. */
  mimeType: string;
  /** The content, decoded from its transfer encoding and read as UTF-8 (RFC 6532), with LF as the line break. */
  text: string;
}

const MAX_NESTING_DEPTH = 20;
const MAX_DECODED_LENGTH = 1_000;

/** Parses a message of any size in bounded time. A message that cannot be parsed reads as empty. */
export async function readMessage(raw: Uint8Array): Promise<Message> {
  const { bytes, isCut } = readableHead(raw);
  try {
    const { headers, text, html, attachments } = await PostalMime.parse(renameFields(bytes), {
      forceRfc822Attachments: true,
      maxNestingDepth: MAX_NESTING_DEPTH,
    });
    const words = text?.trim() ? text : textOf(html ?? '');
    const message = {
      headers: headers.map(({ key, value }) => ({ name: key.replace(/^x-/, ''), value })),
      text: [...attachments.filter(isMisnamedText).map(textIn), words].join('\n'),
      parts: attachments.map((part) => ({ mimeType: typeOf(part), text: textIn(part) })),
    };
    if (message.text.trim() === '' && message.parts.length === 0) {
      message.text = readBrokenBody(bytes);
    }
    return isCut ? withoutCutLine(message) : message;
  } catch {
    return { headers: [], text: '', parts: [] };
  }
}

/**
 * Puts `x-` before the names of header fields that are not about the content. The parser would also read their addresses, in
 * time that is quadratic in their length.
 */
function renameFields(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  const end = text.indexOf('\n\n');
  const head = end < 0 ? text : text.slice(0, end);
  return Buffer.from(head.replace(/^(?=\S)(?!content-)/gim, 'x-') + text.slice(head.length), 'latin1');
}

export function header(message: Message, name: string): string {
  return message.headers.find((field) => field.name === name)?.value ?? '';
}

/** RFC 2047. */
export function decodedHeader(message: Message, name: string): string {
  return decodeWords(header(message, name).slice(0, MAX_DECODED_LENGTH));
}

export function partOf(message: Message, ...mimeTypes: string[]): string | undefined {
  return partsOf(message, ...mimeTypes)[0];
}

export function partsOf({ parts }: Message, ...mimeTypes: string[]): string[] {
  return parts.filter(({ mimeType }) => mimeTypes.includes(mimeType)).map(({ text }) => text);
}

/** The parser takes a parameter without its semicolon, as in `text/plain charset=us-ascii`, for part of the type. */
function typeOf({ mimeType }: Attachment): string {
  return mimeType.split(/[\s;]/, 1)[0]!;
}

function isMisnamedText(part: Attachment): boolean {
  return part.mimeType !== 'text/plain' && typeOf(part) === 'text/plain';
}

function textIn({ content }: Attachment): string {
  const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
  return new TextDecoder().decode(bytes).replace(/\r\n?/g, '\n');
}

/** Decoding joins lines, so the last line of the part that was cut may still end in the middle of a word. */
function withoutCutLine({ headers, text, parts }: Message): Message {
  const wholeLines = (cut: string): string => cut.slice(0, cut.lastIndexOf('\n') + 1);
  const last = parts.at(-1);
  return last
    ? { headers, text, parts: [...parts.slice(0, -1), { ...last, text: wholeLines(last.text) }] }
    : { headers, text: wholeLines(text), parts };
}

/** Converts HTML to lines of text, well enough for the notes of mail servers. */
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

const BOUNDARY = /\n(?=--[^\s-])/;
const IS_QUOTED_PRINTABLE = /^content-transfer-encoding:\s*quoted-printable/im;

/** The body of a message whose MIME boundary got lost, decoded from quoted-printable (RFC 2045, section 6.7). */
function readBrokenBody(head: Uint8Array): string {
  const text = Buffer.from(head.buffer, head.byteOffset, head.length).toString('latin1');
  const [first = '', ...parts] = text.split(BOUNDARY).map(decodePart);
  const body = first.indexOf('\n\n');
  const decoded = [body < 0 ? '' : first.slice(body), ...parts].join('\n');
  return Buffer.from(decoded, 'latin1').toString('utf8');
}

function decodePart(part: string): string {
  const body = part.indexOf('\n\n');
  return body >= 0 && IS_QUOTED_PRINTABLE.test(part.slice(0, body))
    ? part.slice(0, body) + decodeQuotedPrintable(part.slice(body))
    : part;
}

function decodeQuotedPrintable(text: string): string {
  return text
    .replace(/=[ \t]*\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}
