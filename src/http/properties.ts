import type { ApiPropertyOptions } from '@nestjs/swagger';

/** Describes a field for `@ApiProperty`, with its example, if there is one. */
type Property<Value> = (description: string, example?: Value | null) => ApiPropertyOptions;

export const text = withType({});
export const uuid = withType({ format: 'uuid' });
export const timestamp = withType({ format: 'date-time' });
export const nullableText = withType({ nullable: true });
export const nullableUuid = withType({ format: 'uuid', nullable: true });
export const nullableTimestamp = withType({ format: 'date-time', nullable: true });
export const integer = withType<number>({ type: 'integer' });

function withType<Value = string>(options: {
  type?: 'integer';
  format?: string;
  nullable?: boolean;
}): Property<Value> {
  return (description, example) => ({
    type: String,
    ...options,
    description,
    ...(example !== undefined && { example }),
  });
}
