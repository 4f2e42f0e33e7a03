import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { parseEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import { RouteNotFoundError, ValidationError } from '../http/errors/errors.js';
import { refPipe } from '../http/pipes.js';
import { Invalid } from '../validation/parsers.js';

/** How a caller names a suppression: by its id or by its address. */
export type SuppressionRef = { id: string } | { email: EmailAddress };

const PROBLEM = 'must be the id of a suppression (a UUID) or an email address: it';

export type SuppressionRefs = { ids: string[] } | { emails: EmailAddress[] };

export const SuppressionRefPipe = refPipe('suppression', (text): SuppressionRef | Invalid => {
  const email = parseEmailAddress(text);
  return email instanceof Invalid ? new Invalid(`${PROBLEM} ${email.problem}`) : { email };
});

export const InvalidSuppressionRef = ValidationError.withExample(
  'suppression',
  `${PROBLEM} must contain an @`,
);

/** Refuses the path that results from an empty address, which must not return the list. */
@Injectable()
export class EmptyRefGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.switchToHttp().getRequest<Request>().path.endsWith('/')) {
      throw RouteNotFoundError.ofEmptyAddress();
    }
    return true;
  }
}
