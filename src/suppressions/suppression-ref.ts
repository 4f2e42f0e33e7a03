import { Injectable, type PipeTransform } from '@nestjs/common';
import { InvalidEmailAddress, parseEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import { ValidationError } from '../http/errors.js';
import { Invalid } from '../validation/invalid.js';

/** How a caller names a suppression: by its id or by its address. */
export type SuppressionRef = { id: string } | { email: EmailAddress };

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Reads an id, in any letter case, into its normal form. */
export function parseId(input: unknown): string | Invalid {
  return typeof input === 'string' && UUID.test(input)
    ? input.toLowerCase()
    : new Invalid('must be an id, a UUID');
}

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
