const METADATA = Symbol('rejectMisspellings');

/**
 * Marks an optional field whose loss nobody would notice. Unknown fields are ignored, as Resend does, except those whose name is
 * almost that of a marked field: `expire_at` would otherwise suppress without an expiry.
 */
export function RejectMisspellings(): PropertyDecorator {
  return (prototype, field) => {
    Reflect.defineMetadata(METADATA, [...guardedFieldsOf(prototype.constructor), field], prototype);
  };
}

/** The names of the marked fields of a DTO. */
export function guardedFieldsOf(dto: Function): readonly string[] {
  return (Reflect.getMetadata(METADATA, dto.prototype) as string[] | undefined) ?? [];
}
