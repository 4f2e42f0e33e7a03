import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsBoolean, ValidateBy } from 'class-validator';

/** A setting that is `true` or `false`. */
export function IsSwitch(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (value === 'true' ? true : value === 'false' ? false : value)),
    IsBoolean({ message: 'must be true or false' }),
  );
}

/** A setting that passes a test. The message says what else it must be. */
export function Passes(test: (value: string) => boolean, message: string): PropertyDecorator {
  return ValidateBy({ name: test.name, validator: { validate: test, defaultMessage: () => message } });
}
