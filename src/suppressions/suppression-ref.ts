import { Injectable, type PipeTransform } from '@nestjs/common';
import { InvalidEmailAddress, parseEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import { ValidationError } from '../http/errors.js';
import { parseId } from '../validation/id.js';
import { Invalid } from '../validation/invalid.js';

/** How a caller names a suppression: by its id or by its address. */
export type SuppressionRef = { id: string } | { email: EmailAddress };

@Injectable()
export class SuppressionRefPipe implements PipeTransform<string, SuppressionRef> {
  transform(text: string): SuppressionRef {
    const id = parseId(text);
    if (!(id instanceof Invalid)) {
      return { id };
    }
    const email = parseEmailAddress(text);
    if (email instanceof InvalidEmailAddress) {
      throw invalidRef(email.problem);
    }
    return { email };
  }
}

/** How the document shows what the pipe refuses. */
export const InvalidSuppressionRef = { example: () => invalidRef('must contain an @') };

function invalidRef(problem: string): ValidationError {
  const message = `must be the id of a suppression (a UUID) or an email address: ${problem}`;
  return ValidationError.ofFields([{ path: 'suppression', message }]);
}
