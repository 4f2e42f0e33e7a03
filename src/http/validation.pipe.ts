import { ValidationPipe, type ValidationError as ConstraintViolation } from '@nestjs/common';
import { Invalid } from '../validation/invalid.js';
import type { FieldError } from './error-body.js';
import { ValidationError } from './errors.js';

/** Reads and checks what DTOs describe. Fields that no DTO has are ignored. */
export function createValidationPipe(): ValidationPipe {
  return new ValidationPipe({
    transform: true,
    transformOptions: { strategy: 'excludeAll', exposeDefaultValues: true },
    exceptionFactory: (violations) => ValidationError.ofFields(violations.flatMap(fieldErrors)),
  });
}

/** One error for each element of a field that could not be read, or else one for the field. */
function fieldErrors({ property, value, constraints }: ConstraintViolation): FieldError[] {
  if (value instanceof Invalid) {
    return [{ path: property, message: value.problem }];
  }
  const elements: unknown[] = Array.isArray(value) ? value : [];
  const invalid = elements.flatMap((element, index) =>
    element instanceof Invalid ? [{ path: `${property}[${index}]`, message: element.problem }] : [],
  );
  const message = constraints?.isArray ?? constraints?.isString ?? Object.values(constraints ?? {})[0] ?? '';
  return invalid.length > 0 ? invalid : [{ path: property, message: withoutName(message, property) }];
}

/** class-validator begins its messages with the name of the field, which stands in `path` already. */
function withoutName(message: string, property: string): string {
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}
