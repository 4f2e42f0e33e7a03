import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';

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

/** Documents an enum in OpenAPI: what the field says, and what each of its values means. */
export function enumOf<Value extends string>(
  description: string,
  meanings: Readonly<Record<Value, string>>,
): { enum: Value[]; description: string } {
  const values = Object.keys(meanings) as Value[];
  const sentences = values.map((value) => `\`${value}\`: ${meanings[value]}.`);
  return { enum: values, description: [description, ...sentences].filter(Boolean).join(' ') };
}

/**
 * Makes the base of a DTO with the kind of an object and its id.
 *
 * @param property - documents the id, with an example
 */
export function objectWithId<Kind extends string>(
  kind: Kind,
  property: ApiPropertyOptions,
): new (object: { id: string }) => { object: Kind; id: string } {
  class ObjectWithId {
    @ApiProperty({ enum: [kind], example: kind })
    object = kind;

    @ApiProperty({ format: 'uuid', ...property })
    id: string;

    constructor({ id }: { id: string }) {
      this.id = id;
    }
  }
  return ObjectWithId;
}
