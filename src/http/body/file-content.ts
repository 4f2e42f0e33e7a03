import type { OpenAPIObject } from '@nestjs/swagger';

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

/** For the description of such an operation. */
export const CHOOSE_FILE = 'To choose a file on this page, select `multipart/form-data` above the body.';
