import { Injectable, type PipeTransform } from '@nestjs/common';
import { parseId } from '../validation/id.js';
import { Invalid } from '../validation/invalid.js';
import { ImportNotFoundError } from './errors.js';

@Injectable()
export class ImportIdPipe implements PipeTransform<string, string> {
  /** @throws {ImportNotFoundError} */
  transform(text: string): string {
    const id = parseId(text);
    if (id instanceof Invalid) {
      throw new ImportNotFoundError();
    }
    return id;
  }
}
