import type { ApiPropertyOptions } from '@nestjs/swagger';

/** Describes a string for `@ApiProperty`, with its example, if there is one. */
type Property = (description: string, example?: string | null) => ApiPropertyOptions;

export const text = withType({});
export const uuid = withType({ format: 'uuid' });
export const timestamp = withType({ format: 'date-time' });
export const nullableText = withType({ nullable: true });
export const nullableUuid = withType({ format: 'uuid', nullable: true });
export const nullableTimestamp = withType({ format: 'date-time', nullable: true });

function withType(options: { format?: string; nullable?: boolean }): Property {
  return (description, example) => ({
    type: String,
    ...options,
    description,
    ...(example !== undefined && { example }),
  });
}
