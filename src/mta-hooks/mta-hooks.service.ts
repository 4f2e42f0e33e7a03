import { Injectable } from '@nestjs/common';
import { parseEmailAddress } from '../email-address/email-address.js';
import { quoteLocalPart } from '../email-address/mailbox.js';
import { CheckService } from '../suppressions/checks/check.service.js';
import type { RequestedPurpose } from '../suppressions/checks/check-request.js';
import { reasonOf, refusalText } from './refusal-text.js';

/** What to do with a mail. */
export interface HookDecision {
  /** The reply that refuses all recipients; null if any of them may be mailed. */
  refusal: string | null;
  /** The recipients that must not be mailed, if others may. */
  deleted: string[];
}

@Injectable()
export class MtaHooksService {
  constructor(private readonly checks: CheckService) {}

  /**
   * Decides about the recipients of a mail. A text that cannot be an address is not on the list, so it is accepted.
   *
   * @param recipients - in the internal form of mail servers
   * @throws {TopicNotFoundError}
   */
  async decide(accountId: number, recipients: string[], purpose: RequestedPurpose): Promise<HookDecision> {
    if (recipients.length === 0) {
      return { refusal: null, deleted: [] };
    }
    const requested = recipients.map((text) => ({ text, address: parseEmailAddress(quoteLocalPart(text)) }));
    const checked = await this.checks.check(accountId, requested, purpose);
    const suppressed = checked.filter(({ verdict }) => verdict === 'suppressed');
    if (suppressed.length < checked.length) {
      return { refusal: null, deleted: suppressed.map(({ text }) => text) };
    }
    const refusal =
      suppressed.length === 1
        ? refusalText(reasonOf(suppressed[0]!.matches[0]!))
        : '5.7.1 All recipients are suppressed';
    return { refusal, deleted: [] };
  }
}
