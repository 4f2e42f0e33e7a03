import { Injectable, type PipeTransform } from '@nestjs/common';
import { parseId } from '../validation/id.js';
import { Invalid } from '../validation/invalid.js';
import { ScrubNotFoundError } from './errors.js';

@Injectable()
export class ScrubIdPipe implements PipeTransform<string, string> {
  /** @throws {ScrubNotFoundError} */
  transform(text: string): string {
    const id = parseId(text);
    if (id instanceof Invalid) {
      throw new ScrubNotFoundError();
    }
    return id;
  }
}
