import type { Readable } from 'node:stream';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { FileTypeError } from '../errors/body-errors.js';
import { ValidationError } from '../errors/errors.js';
import { bodyOf } from './body-stream.js';
import { readFilePart, type FormProblem, type FormRules } from './multipart-file.js';

const TEXT_TYPES = ['text/csv', 'text/plain', 'text/tab-separated-values'];
const JSON_TYPES = ['application/json', 'application/x-ndjson', 'application/ndjson'];
const FORM_TYPE = 'multipart/form-data';
const GZIP_NAME = /\.gz$/i;

/** A file that is arriving: as the body of a request, or in the field `file` of a form. */
export interface FileBody {
  file: Readable;
  isCompressed: boolean;
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
      : { file: body, isCompressed: encoding === 'gzip', type, filename: undefined };
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
    file,
    isCompressed: GZIP_NAME.test(filename),
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

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type RequestBody = NonNullable<Operation['requestBody']>;

/**
 * Documents the body of an operation that reads a `FileBody`.
 *
 * @param types - the content types of the file as a body
 */
export function fileContent(types: string[], example: string, value: string): RequestBody {
  const text = { schema: { type: 'string' as const }, examples: { [example]: { value } } };
  return {
    required: true,
    content: {
      ...Object.fromEntries(types.map((type) => [type, text])),
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
