import { InvalidEmailAddress } from '../../../email-address/invalid-email-address.js';
import { ValidationError } from '../../../http/errors/errors.js';
import type { SuppressionRef } from '../../../suppressions/suppression-ref.js';
import { parseId } from '../../../validation/id.js';
import { Invalid } from '../../../validation/invalid.js';
import { quote } from '../../components/words.js';
import { readPastedAddress } from './pasted-addresses.js';

/**
 * Reads an address or the id of a suppression, as a person enters it.
 *
 * @throws {ValidationError}
 */
export function readSearch(text: string): SuppressionRef {
  const id = parseId(text);
  if (!(id instanceof Invalid)) {
    return { id };
  }
  const email = readPastedAddress(text);
  if (email instanceof InvalidEmailAddress) {
    throw ValidationError.ofRequest(
      `${quote(text)} is not an email address: it ${email.problem}. Enter an address such as ada@example.com, or the id of a suppression.`,
    );
  }
  return { email };
}
