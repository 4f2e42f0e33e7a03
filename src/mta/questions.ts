import { InvalidEmailAddress, parseEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import { Invalid } from '../validation/parsers.js';
import { FailureLog } from './failure-log.js';
import type { MtaMetrics } from './mta-metrics.js';
import {
  parsePurpose,
  UnknownVerdictError,
  type Answer,
  type MailPurpose,
  type VerdictSource,
} from './verdict-source.js';

export interface Question {
  protocol: string;
  address: string;
  /** `any`, `transactional`, or a topic. By default, the purpose of the user, or else the general default. */
  purpose?: string | undefined;
  /** The sender of the mail, as authenticated by SASL. */
  user?: string | undefined;
}

export interface Purposes {
  default: MailPurpose;
  byUser: ReadonlyMap<string, MailPurpose>;
}

/** Answers the questions of mail servers, independently of the protocol. */
export class Questions {
  constructor(
    private readonly source: VerdictSource,
    private readonly purposes: Purposes,
    private readonly metrics: MtaMetrics,
    private readonly log: FailureLog,
  ) {}

  async ask(question: Question): Promise<Answer> {
    const start = performance.now();
    const answer = await this.answer(question);
    this.metrics.observeQuestion(question.protocol, answer.verdict, (performance.now() - start) / 1_000);
    return answer;
  }

  /** Asks about an unlisted address for each configured purpose, so that a wrong key or topic is logged. */
  async tryPurposes(): Promise<void> {
    const address = parseEmailAddress('postmaster@localhost') as EmailAddress;
    const purposes = [this.purposes.default, ...this.purposes.byUser.values()];
    const byName = new Map(purposes.map((purpose) => [purpose.name, purpose]));
    await Promise.all([...byName.values()].map((purpose) => this.check(address, purpose)));
  }

  private async answer({ address, purpose: name, user }: Question): Promise<Answer> {
    const email = parseEmailAddress(address);
    if (email instanceof InvalidEmailAddress) {
      return { verdict: 'invalid' };
    }
    const purpose = name ? parsePurpose(name) : this.purposeOf(user);
    return purpose instanceof Invalid
      ? this.fail(new UnknownVerdictError('unknown_topic'), undefined)
      : this.check(email, purpose);
  }

  private purposeOf(user: string | undefined): MailPurpose {
    return (user && this.purposes.byUser.get(user)) || this.purposes.default;
  }

  private async check(email: EmailAddress, purpose: MailPurpose): Promise<Answer> {
    try {
      const answer = await this.source.check(email, purpose);
      this.log.succeeded();
      return answer;
    } catch (error) {
      const { name } = error as Error;
      const failure =
        error instanceof UnknownVerdictError ? error : new UnknownVerdictError('internal', { error: name });
      return this.fail(failure, purpose.name);
    }
  }

  private fail(failure: UnknownVerdictError, purpose: string | undefined): Answer {
    this.metrics.countFailure(failure.reason);
    this.log.failed(failure, purpose);
    return { verdict: 'unavailable' };
  }
}
