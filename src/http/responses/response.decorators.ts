import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { ApiError, DocumentedError } from '../errors/api-error.js';
import { ErrorBody } from '../errors/error-body.js';

/**
 * Nest's metadata of `@ApiProperty`: the names of the properties, each with a colon before it, and the options of a property.
 */
const PROPERTY_NAMES = 'swagger/apiModelPropertiesArray';
const PROPERTY_OPTIONS = 'swagger/apiModelProperties';

interface PropertyOptions {
  example?: unknown;
  type?: Type;
  isArray?: boolean;
}

/** Makes the example of a DTO from the examples of its properties, except for the given values. */
export function exampleOf<Dto extends object>(
  { prototype }: { prototype: Dto },
  others: Partial<Dto> = {},
): Dto {
  const names: string[] = Reflect.getMetadata(PROPERTY_NAMES, prototype) ?? [];
  const examples = names
    .map((name) => name.slice(1))
    .map((name) => [name, exampleOfProperty(Reflect.getMetadata(PROPERTY_OPTIONS, prototype, name))]);
  return { ...(Object.fromEntries(examples) as Dto), ...others };
}

function exampleOfProperty({ example, type, isArray }: PropertyOptions): unknown {
  if (example !== undefined || !Reflect.hasMetadata(PROPERTY_NAMES, type?.prototype ?? {})) {
    return example;
  }
  return isArray ? [exampleOf(type!)] : exampleOf(type!);
}

/** Sets the status of the response, unless the handler sets another one, and documents its JSON body. */
export function Responds(
  status: number,
  description: string,
  type: Type,
  example: unknown = exampleOf(type),
): MethodDecorator {
  return applyDecorators(HttpCode(status), ApiResponse({ status, description, type, example }));
}

/**
 * Documents a response that is a file.
 *
 * @param examples - by the content types that the file may have
 */
export function RespondsWithFile(
  description: string,
  examples: Record<string, string>,
  headers?: Parameters<typeof ApiResponse>[0]['headers'],
): MethodDecorator {
  const schema = { type: 'string' as const };
  const contents = Object.entries(examples).map(([type, example]) => [type, { schema, example }]);
  return ApiResponse({
    status: 200,
    description,
    ...(headers && { headers }),
    content: Object.fromEntries(contents),
  });
}

/** Documents the errors of an operation by their responses. A later error replaces an earlier one with the same code. */
export function ApiErrors(...classes: DocumentedError[]): MethodDecorator {
  const byCode = new Map(
    classes.map((errorClass) => errorClass.example()).map((error) => [error.code, error]),
  );
  const errors = [...byCode.values()];
  const statuses = new Set(errors.map(({ statusCode }) => statusCode));
  const ofStatus = (status: number) => errors.filter(({ statusCode }) => statusCode === status);
  return applyDecorators(
    ApiExtraModels(ErrorBody),
    ...[...statuses].map((status) => ApiResponse(responseOf(status, ofStatus(status)))),
  );
}

const RETRY_AFTER = { 'Retry-After': { $ref: '#/components/headers/Retry-After' } };

function responseOf(status: number, errors: ApiError[]): Parameters<typeof ApiResponse>[0] {
  return {
    status,
    description: errors.map(({ code, message }) => `\`${code}\`: ${message}`).join('\n\n'),
    ...(errors.some(({ headers }) => 'Retry-After' in headers) && { headers: RETRY_AFTER }),
    content: {
      'application/json': { schema: { $ref: getSchemaPath(ErrorBody) }, ...examplesOf(errors) },
    },
  };
}

/** Swagger UI draws a menu for a set of examples, so one example is not a set. */
function examplesOf(
  errors: ApiError[],
): { example: ErrorBody } | { examples: Record<string, { value: ErrorBody }> } {
  const bodies = errors.map((error) => error.toBody());
  return bodies.length === 1
    ? { example: bodies[0]! }
    : { examples: Object.fromEntries(bodies.map((body) => [body.code, { value: body }])) };
}
