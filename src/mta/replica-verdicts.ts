import type { EmailAddress } from '../email-address/email-address.js';
import { StaleReplicaError, UnknownTopicError, UnrecognisableAddressError } from '../replica/errors.js';
import type { Replica } from '../replica/replica.js';
import { UnknownVerdictError, type Answer, type MailPurpose, type VerdictSource } from './verdict-source.js';
import { toAnswer } from './service-verdicts.js';

/** Answers from a local copy of the list. */
export class ReplicaVerdicts implements VerdictSource {
  constructor(private readonly replica: Replica) {}

  check(email: EmailAddress, { options }: MailPurpose): Answer {
    try {
      return toAnswer(this.replica.check([email], options)[0]!);
    } catch (error) {
      if (error instanceof UnknownTopicError) {
        throw new UnknownVerdictError('unknown_topic');
      }
      if (error instanceof StaleReplicaError) {
        throw new UnknownVerdictError('stale', { age_seconds: Math.round(error.age) });
      }
      if (error instanceof UnrecognisableAddressError) {
        throw new UnknownVerdictError('forbidden');
      }
      throw error;
    }
  }

  close(): Promise<void> {
    return this.replica.close();
  }
}
