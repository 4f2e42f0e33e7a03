import type { PipeTransform } from '@nestjs/common';
import { parseId } from '../../validation/id.js';
import { Invalid } from '../../validation/invalid.js';
import { PersonNotFoundError } from './errors.js';

/** @throws {PersonNotFoundError} for what is no id at all */
export class PersonIdPipe implements PipeTransform<string, string> {
  transform(text: string): string {
    const id = parseId(text);
    if (id instanceof Invalid) {
      throw new PersonNotFoundError();
    }
    return id;
  }
}
