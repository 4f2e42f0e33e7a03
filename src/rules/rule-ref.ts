import { refPipe } from '../http/ref.pipe.js';
import { Invalid } from '../validation/parsers.js';
import { parsePattern, type Pattern } from './pattern.js';

/** How a caller names a rule: by its id, or a rule for all mail by its pattern. */
export type RuleRef = { id: string } | { pattern: Pattern };

export const RuleRefPipe = refPipe('rule', (text): RuleRef | Invalid => {
  const pattern = parsePattern(text);
  return pattern instanceof Invalid
    ? new Invalid(`must be the id of a rule (a UUID) or a pattern: ${pattern.problem}`)
    : { pattern };
});
