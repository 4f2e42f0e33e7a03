import type { IncomingMessage } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { MAX_FILE_BYTES } from '../../files/file-limits.js';
import { FileTypeError, PayloadTooLargeError, UnreadableUploadError } from '../errors/body-errors.js';
import { ValidationError } from '../errors/errors.js';
import { MEBIBYTE, routeOptionsOf } from '../route.js';
import { readFilePart, type FormProblem, type FormRules } from './multipart-file.js';

const TEXT_TYPES = ['text/csv', 'text/plain', 'text/tab-separated-values'];
const JSON_TYPES = ['application/json', 'application/x-ndjson', 'application/ndjson'];
const FORM_TYPE = 'multipart/form-data';
const GZIP_NAME = /\.gz$/i;

/** A file that is arriving: as the body of a request, or in the field `file` of a form. */
export interface FileBody {
  /** Its bytes, decompressed. */
  file: AsyncIterable<Buffer>;
  /** The content type of the file as text. */
  type: string;
  /** The file name without `.gz`. Only a form has one. */
  filename: string | undefined;
}

/** A form that is arriving, with the fields before its file. */
export interface FileForm extends FileBody {
  fields: Record<string, string>;
}

const ADVICE =
  'Send one file in the field file, for example with curl -F file=@list.csv. Parameters belong in the URL.';

const FILE_ONLY: FormRules = {
  maxFields: 0,
  refusal: (problem, name) => ValidationError.ofRequest(refusalOf(problem, name)),
};

/**
 * The file of a route with `body: 'unread'`. The argument says whether it may be JSON.
 *
 * @throws {FileTypeError} if the body is no file
 * @throws {ValidationError} if it is a form with anything but one file
 */
export const ReceivedFile = createParamDecorator(
  (hasJson: boolean, context: ExecutionContext): FileBody | Promise<FileBody> => {
    const request = context.switchToHttp().getRequest<Request>();
    const encoding = request.headers['content-encoding'] ?? 'identity';
    const isForm = Boolean(request.is(FORM_TYPE)) && encoding === 'identity';
    const types = hasJson ? [...TEXT_TYPES, ...JSON_TYPES] : TEXT_TYPES;
    if (!isForm && !(request.is(types) && ['identity', 'gzip'].includes(encoding))) {
      throw new FileTypeError(hasJson);
    }
    const body = openBody(context);
    const type = request.headers['content-type']!;
    return isForm
      ? readFileForm(request, body, FILE_ONLY)
      : { file: encoding === 'gzip' ? decompress(body) : body, type, filename: undefined };
  },
);

/** Reads the form of a route with `body: 'unread'` when it is called. */
export const ReceivedForm = createParamDecorator(
  (rules: FormRules, context: ExecutionContext) => (): Promise<FileForm> =>
    readFileForm(context.switchToHttp().getRequest<Request>(), openBody(context), rules),
);

async function readFileForm({ headers }: Request, body: Readable, rules: FormRules): Promise<FileForm> {
  const { fields, file, filename, type } = await readFilePart(headers, body, rules);
  return {
    fields,
    file: GZIP_NAME.test(filename) ? decompress(file) : file,
    type: TEXT_TYPES.includes(type) ? type : TEXT_TYPES[0]!,
    filename: filename.replace(GZIP_NAME, ''),
  };
}

function refusalOf(problem: FormProblem, name = 'file'): string {
  switch (problem) {
    case 'incomplete':
      return 'The form did not arrive completely. Send it again.';
    case 'no boundary':
      return 'The Content-Type of the form has no boundary. Leave the header to the client.';
    default:
      return name === 'file'
        ? `The form must have exactly one file. ${ADVICE}`
        : `The form has a field ${JSON.stringify(name.slice(0, 100))}. ${ADVICE}`;
  }
}

/**
 * Opens the body. After the response, the rest of it is discarded, because some clients read the response only after they have
 * sent everything.
 */
function openBody(context: ExecutionContext): Readable {
  const body = bodyOf(context);
  context
    .switchToHttp()
    .getResponse<Response>()
    .once('finish', () => body.destroy());
  return body;
}

/**
 * The body of a route with `body: 'unread'`, as a stream of bytes. Beyond the route's `bodyLimit` the stream fails with
 * `PayloadTooLargeError`.
 */
export function bodyOf(context: ExecutionContext): Readable {
  const request = context.switchToHttp().getRequest<IncomingMessage>();
  const { bodyLimit } = routeOptionsOf(context);
  if (Number(request.headers['content-length']) > bodyLimit) {
    throw new PayloadTooLargeError(bodyLimit);
  }
  return Readable.from(enforceLimit(request, bodyLimit), { objectMode: false });
}

/**
 * Limits the length of a body, and ends it when the connection closes: Node.js does not abort a request that already has a
 * response, as a request that was cut off has.
 */
async function* enforceLimit(request: IncomingMessage, limitBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  const abort = () => request.destroy();
  request.socket.once('close', abort);
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > limitBytes) {
        throw new PayloadTooLargeError(limitBytes);
      }
      yield chunk;
    }
  } finally {
    request.socket.off('close', abort);
    // Discards the rest, so that the caller can read the response.
    request.resume();
  }
}

/** The highest accepted compression ratio. Lists of addresses compress to a thirtieth at best. */
const MAX_RATIO = 100;

/**
 * Decompresses a gzip file in constant memory. Fails with the error of the body if the body itself failed.
 *
 * @throws {UnreadableUploadError} if it is damaged, or is more than 1 MiB larger than {@link MAX_RATIO} times its compressed size
 * @throws {PayloadTooLargeError} if it is larger than {@link MAX_FILE_BYTES}
 */
async function* decompress(body: Readable): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  pipeline(body, gunzip, () => undefined);
  let bytes = 0;
  try {
    for await (const piece of gunzip as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > MEBIBYTE + MAX_RATIO * gunzip.bytesWritten) {
        throw new UnreadableUploadError(
          `The gzip data expands to more than ${MAX_RATIO} times its size. Send the file uncompressed.`,
        );
      }
      if (bytes > MAX_FILE_BYTES) {
        throw new PayloadTooLargeError(MAX_FILE_BYTES);
      }
      yield piece;
    }
  } catch (error) {
    throw isZlibError(error)
      ? new UnreadableUploadError('The gzip data is damaged or incomplete. Compress the file again.')
      : error;
  }
}

function isZlibError(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('Z_');
}

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type RequestBody = NonNullable<Operation['requestBody']>;

const ANY_JSON = { type: ['object', 'array'], additionalProperties: true, items: {} };

/**
 * Documents the body of an operation that reads a `FileBody`.
 *
 * @param files - by the content types of the file as a body: the name of an example, and its text, or its value if it is JSON
 */
export function fileContent(files: Record<string, [string, string | object]>): RequestBody {
  const contents = Object.entries(files).map(([type, [name, value]]) => {
    const schema = typeof value === 'string' ? { type: 'string' } : ANY_JSON;
    return [type, { schema, examples: { [name]: { value } } }];
  });
  return {
    required: true,
    content: {
      ...Object.fromEntries(contents),
      'multipart/form-data': {
        schema: {
          type: 'object',
          required: ['file'],
          properties: {
            file: { type: 'string', format: 'binary', description: 'The file. Its name may end in `.gz`.' },
          },
        },
      },
    },
  };
}

/** For the description of an operation that takes a file. */
export const CHOOSE_FILE = 'To choose a file on this page, select `multipart/form-data` above the body.';
