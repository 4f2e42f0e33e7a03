import { Transform } from 'class-transformer';
import { ValidateBy, type ValidationOptions } from 'class-validator';
import { Invalid } from './invalid.js';

/** Parses a field as it was sent. A missing field stays missing. */
export function Parse(parse: (value: unknown) => unknown): PropertyDecorator {
  return Transform(({ obj, key }) => {
    const value = (obj as Record<string, unknown>)[key];
    return value === undefined ? undefined : parse(value);
  });
}

/** Parses each element of an array. An array longer than `maxSize` stays unparsed, for `@ArrayMaxSize` to refuse. */
export function ParseEach(parse: (value: unknown) => unknown, maxSize: number): PropertyDecorator {
  return Transform(({ value }) =>
    Array.isArray(value) && value.length <= maxSize ? value.map((element) => parse(element)) : value,
  );
}

/** Refuses a field whose parser returned {@link Invalid}, with its problem as the message. */
export function IsParsed(name: string, message: string, options?: ValidationOptions): PropertyDecorator {
  return ValidateBy(
    {
      name,
      validator: {
        validate: (value) => value !== undefined && !(value instanceof Invalid),
        defaultMessage: () => message,
      },
    },
    options,
  );
}

/** Refuses a field if the other one is given, too. */
export function NotWith(other: string): PropertyDecorator {
  return ValidateBy({
    name: 'notWith',
    validator: {
      validate: (_value, args) => (args!.object as Record<string, unknown>)[other] === undefined,
      defaultMessage: () => `must be left out if ${other} is given`,
    },
  });
}
