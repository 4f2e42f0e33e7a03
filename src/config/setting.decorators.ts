import { applyDecorators } from '@nestjs/common';
import { Expose, Transform } from 'class-transformer';
import { IsBoolean, IsOptional, ValidateBy } from 'class-validator';

const EXAMPLES = new Map<string | symbol, string>();

/**
 * A setting without a default.
 *
 * @param example - a value that `.env.example` shows
 */
export function OptionalSetting(example = ''): PropertyDecorator {
  return applyDecorators(Expose(), IsOptional(), (_target: object, name: string | symbol) => {
    EXAMPLES.set(name, example);
  });
}

/** Empty if the setting has no example. */
export function exampleOf(name: string): string {
  return EXAMPLES.get(name) ?? '';
}

export function IsSwitch(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (value === 'true' ? true : value === 'false' ? false : value)),
    IsBoolean({ message: 'must be true or false' }),
  );
}

/** @param message - what the setting must be */
export function Passes(test: (value: string) => boolean, message: string): PropertyDecorator {
  return ValidateBy({ name: test.name, validator: { validate: test, defaultMessage: () => message } });
}
