import { Injectable, type PipeTransform } from '@nestjs/common';
import { v5 as uuidv5 } from 'uuid';
import { parseEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import { ValidationError } from '../http/errors/errors.js';
import { parseId } from '../validation/id.js';
import { Invalid } from '../validation/invalid.js';

const NAMESPACE = '7c5b0a3e-52c4-4d0e-9a2b-6a3f0b8f1d27';

/** How a caller names a contact: by its address, or by its id. */
export type ContactRef = { id: string } | { email: EmailAddress };

/** A contact is an address. The id of every address is known, but only ids that are stored can be found. */
export function contactIdOf(accountId: number, email: EmailAddress): string {
  return uuidv5(`${accountId}:${email}`, NAMESPACE);
}

@Injectable()
export class ContactRefPipe implements PipeTransform<string, ContactRef> {
  /** @throws {ValidationError} */
  transform(text: string): ContactRef {
    const id = parseId(text);
    if (!(id instanceof Invalid)) {
      return { id };
    }
    const email = parseEmailAddress(text);
    if (email instanceof Invalid) {
      const message = `must be the id of a contact (a UUID) or an email address: ${email.problem}`;
      throw ValidationError.ofFields([{ path: 'contact', message }]);
    }
    return { email };
  }
}
