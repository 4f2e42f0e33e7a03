import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { ApiError, ApiErrorClass } from './api-error.js';
import { ErrorBody } from './error-body.js';

/** Documents errors by what they really answer, status by status. */
export function ApiErrors(...classes: ApiErrorClass[]): MethodDecorator & ClassDecorator {
  const errors = classes.map((errorClass) => errorClass.example());
  const statuses = [...new Set(errors.map(({ statusCode }) => statusCode))];
  return applyDecorators(
    ApiExtraModels(ErrorBody),
    ...statuses.map((status) => {
      const sameStatus = errors.filter(({ statusCode }) => statusCode === status);
      return ApiResponse({
        status,
        description: sameStatus.map(({ code, message }) => `\`${code}\`: ${message}`).join('\n\n'),
        content: {
          'application/json': {
            schema: { $ref: getSchemaPath(ErrorBody) },
            ...examplesOf(sameStatus),
          },
        },
      });
    }),
  );
}

/** A choice only where there is one: Swagger UI draws a list to choose from for each set of examples. */
function examplesOf(
  errors: ApiError[],
): { example: ErrorBody } | { examples: Record<string, { value: ErrorBody }> } {
  const bodies = errors.map((error) => error.toBody());
  return bodies.length === 1
    ? { example: bodies[0]! }
    : { examples: Object.fromEntries(bodies.map((body) => [body.code, { value: body }])) };
}
