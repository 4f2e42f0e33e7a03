import { Injectable, type PipeTransform } from '@nestjs/common';
import { ValidationError } from '../http/errors/errors.js';
import { Invalid, parseId } from '../validation/parsers.js';
import { parsePattern, type Pattern } from './pattern.js';

/** How a caller names a rule: by its id, or a rule for all mail by its pattern. */
export type RuleRef = { id: string } | { pattern: Pattern };

@Injectable()
export class RuleRefPipe implements PipeTransform<string, RuleRef> {
  /** @throws {ValidationError} */
  transform(text: string): RuleRef {
    const id = parseId(text);
    if (!(id instanceof Invalid)) {
      return { id };
    }
    const pattern = parsePattern(text);
    if (pattern instanceof Invalid) {
      const message = `must be the id of a rule (a UUID) or a pattern: ${pattern.problem}`;
      throw ValidationError.ofFields([{ path: 'rule', message }]);
    }
    return { pattern };
  }
}
