import { createRequire } from 'node:module';
import type * as Package from 'class-validator';

const require = createRequire(import.meta.url);

/**
 * Loads a part of class-validator. Its index also loads libphonenumber and all of validator.js: 320 files, which take an eighth of a
 * second and 3 MiB at each start.
 */
function part<Name extends keyof typeof Package>(name: Name, folder: string): (typeof Package)[Name] {
  return require(`class-validator/cjs/${folder}/${name}.js`)[name];
}

export const ArrayMaxSize = part('ArrayMaxSize', 'decorator/array');
export const ArrayMinSize = part('ArrayMinSize', 'decorator/array');
export const IsIn = part('IsIn', 'decorator/common');
export const IsOptional = part('IsOptional', 'decorator/common');
export const ValidateBy = part('ValidateBy', 'decorator/common');
export const ValidateIf = part('ValidateIf', 'decorator/common');
export const Matches = part('Matches', 'decorator/string');
export const MinLength = part('MinLength', 'decorator/string');
export const IsArray = part('IsArray', 'decorator/typechecker');
export const IsBoolean = part('IsBoolean', 'decorator/typechecker');
export const IsString = part('IsString', 'decorator/typechecker');

const { getMetadataStorage } = require('class-validator/cjs/metadata/MetadataStorage.js') as typeof Package;
const Validator = part('Validator', 'validation');
const validator = new Validator();

/** What Nest's `ValidationPipe` uses. */
export const validatorPackage = {
  getMetadataStorage,
  validate: (object: object, options?: Package.ValidatorOptions) => validator.validate(object, options),
  validateSync: (object: object) => validator.validateSync(object),
};
