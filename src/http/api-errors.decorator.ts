import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { ErrorBody, type ApiErrorClass } from './api-error.js';

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
        description: sameStatus.map(({ name, message }) => `\`${name}\`: ${message}`).join('\n\n'),
        content: {
          'application/json': {
            schema: { $ref: getSchemaPath(ErrorBody) },
            examples: Object.fromEntries(sameStatus.map((error) => [error.name, { value: error.toBody() }])),
          },
        },
      });
    }),
  );
}
