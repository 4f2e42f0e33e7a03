import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsBoolean, ValidateBy } from 'class-validator';

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
