import {
  ValidationPipe,
  type ArgumentMetadata,
  type PipeTransform,
  type Type,
  type ValidationError as ConstraintViolation,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Invalid, parseId } from '../validation/parsers.js';
import {
  fieldsOf,
  findMisspelledFields,
  findUnknownFields,
  guardedFieldsOf,
  RefuseFields,
  RejectUnknownFields,
} from '../validation/unknown-fields.js';
import type { FieldError } from './errors/error-body.js';
import { ValidationError } from './errors/errors.js';

const reflector = new Reflector();

/**
 * Turns bodies and queries into their DTOs, and validates them. Unknown fields of a body are ignored, as the Resend API
 * does, unless its DTO has `@RejectUnknownFields()`, names them in `@RefuseFields()`, or they look like a field with
 * `@RejectMisspellings()`.
 */
export class DtoPipe extends ValidationPipe {
  /** Cached DTOs of queries without parameters. Creating and validating one takes a tenth of the time of a lookup. */
  private readonly emptyQueries = new Map<unknown, Promise<unknown>>();

  constructor() {
    super({
      transform: true,
      transformOptions: { strategy: 'excludeAll', exposeDefaultValues: true },
      exceptionFactory: (violations) => ValidationError.ofFields(violations.flatMap(fieldErrors)),
    });
  }

  override transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { type, metatype } = metadata;
    if (type === 'body' && value !== undefined && this.toValidate(metadata)) {
      const unknown = unknownFieldsOf(value, metatype!);
      if (unknown.length > 0) {
        return this.refuse(value, metadata, unknown);
      }
    }
    return type === 'query' && isEmpty(value)
      ? this.emptyQuery(value, metadata)
      : super.transform(value, metadata);
  }

  /** @throws {ValidationError} naming the unknown fields and every invalid one */
  async refuse(value: unknown, metadata: ArgumentMetadata, unknown: FieldError[]): Promise<never> {
    const others = await super.transform(value, metadata).then(
      () => [],
      ({ errors = [] }: ValidationError) => errors,
    );
    throw ValidationError.ofFields([...unknown, ...others]);
  }

  private emptyQuery(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    let dto = this.emptyQueries.get(metadata.metatype);
    if (!dto) {
      dto = super.transform(value, metadata).then(Object.freeze);
      this.emptyQueries.set(metadata.metatype, dto);
    }
    return dto;
  }
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function unknownFieldsOf(body: unknown, dto: Function): FieldError[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw ValidationError.ofRequest('The body must be a JSON object.');
  }
  const [given, known] = [Object.keys(body), fieldsOf(dto)];
  return reflector.get(RejectUnknownFields, dto)
    ? findUnknownFields(given, known)
    : [...refusedFields(body, dto), ...findMisspelledFields(given, known, guardedFieldsOf(dto))];
}

function refusedFields(body: object, dto: Function): FieldError[] {
  const refused = Object.entries(reflector.get(RefuseFields, dto) ?? {});
  return refused.flatMap(([path, message]) => (Object.hasOwn(body, path) ? [{ path, message }] : []));
}

/** One error for each invalid element of a field, or else one for the field. */
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

/** class-validator begins its messages with the name of the field, which is already in `path`. */
function withoutName(message: string, property: string): string {
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}

/**
 * Makes a pipe that reads how a path names something: by its id, or in another way.
 *
 * @param parameter - the name of the parameter in the path
 * @param parse - reads a text that is not an id
 */
export function refPipe<Ref>(
  parameter: string,
  parse: (text: string) => Ref | Invalid,
): Type<PipeTransform<string, Ref | { id: string }>> {
  return class RefPipe implements PipeTransform<string, Ref | { id: string }> {
    /** @throws {ValidationError} */
    transform(text: string): Ref | { id: string } {
      const id = parseId(text);
      const ref = id instanceof Invalid ? parse(text) : { id };
      if (ref instanceof Invalid) {
        throw ValidationError.ofField(parameter, ref.problem);
      }
      return ref;
    }
  };
}

/** Makes a pipe that reads the id of a path. A text that is not an id gets the error of an unknown id. */
export function idPipe(NotFoundError: new () => Error): Type<PipeTransform<string, string>> {
  return class IdPipe implements PipeTransform<string, string> {
    transform(text: string): string {
      const id = parseId(text);
      if (id instanceof Invalid) {
        throw new NotFoundError();
      }
      return id;
    }
  };
}
