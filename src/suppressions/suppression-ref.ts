import { Injectable, type CanActivate, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import type { Request } from 'express';
import { InvalidEmailAddress, parseEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import { RouteNotFoundError, ValidationError } from '../http/errors/errors.js';
import { Invalid, parseId } from '../validation/parsers.js';

/** How a caller names a suppression: by its id or by its address. */
export type SuppressionRef = { id: string } | { email: EmailAddress };

export type SuppressionRefs = { ids: string[] } | { emails: EmailAddress[] };

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

/** Refuses the path that a client makes of an empty address: it must not return the list. */
@Injectable()
export class EmptyRefGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.switchToHttp().getRequest<Request>().path.endsWith('/')) {
      throw RouteNotFoundError.ofEmptyAddress();
    }
    return true;
  }
}

export const InvalidSuppressionRef = { example: () => invalidRef('must contain an @') };

function invalidRef(problem: string): ValidationError {
  const message = `must be the id of a suppression (a UUID) or an email address: ${problem}`;
  return ValidationError.ofFields([{ path: 'suppression', message }]);
}
