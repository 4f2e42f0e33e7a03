import { quoteLocalPart } from '../email-address/mailbox.js';
import { refusalText } from '../mta-hooks/refusal-text.js';
import type { Answer } from './verdict-source.js';
import {
  LineSplitter,
  MalformedRequestError,
  type OnFailure,
  type Protocol,
  type RequestReader,
} from './protocol.js';
import type { Questions } from './questions.js';

/** Attributes of a request to a policy server: lines of `name=value`. */
type Attributes = Map<string, string>;

const MAX_REQUEST_BYTES = 65_536;
const MAX_LINE_BYTES = 16_384;
const REQUEST = 'smtpd_access_policy';

/**
 * Postfix's policy delegation (SMTPD_POLICY_README): lines of `name=value` up to an empty line, answered by `action=` and an
 * empty line. Unknown attributes are ignored. The answer to a request without a recipient, such as one at DATA after several
 * recipients, is `DUNNO`. The answer is never `DISCARD`, which would drop the mail for all recipients (access(5)).
 */
export class PolicyProtocol implements Protocol<Attributes> {
  readonly name = 'policy';

  constructor(
    private readonly questions: Questions,
    private readonly onFailure: OnFailure,
  ) {}

  createReader(): RequestReader<Attributes> {
    return new PolicyReader();
  }

  async answer(attributes: Attributes): Promise<string> {
    const recipient = attributes.get('recipient');
    if (!recipient) {
      return toReply('DUNNO');
    }
    const answer = await this.questions.ask({
      protocol: this.name,
      address: quoteLocalPart(recipient),
      purpose: attributes.get('policy_context'),
      user: attributes.get('sasl_username'),
    });
    return toReply(this.actionFor(answer));
  }

  /** A text that cannot be an address is not on the list; Postfix itself decides about its syntax. */
  private actionFor(answer: Answer): string {
    switch (answer.verdict) {
      case 'suppressed':
        return `REJECT ${refusalText(answer)}`;
      case 'unavailable':
        return this.onFailure === 'defer'
          ? 'DEFER_IF_PERMIT 4.7.1 The suppression list is unavailable'
          : 'DUNNO';
      default:
        return 'DUNNO';
    }
  }
}

function toReply(action: string): string {
  return `action=${action}\n\n`;
}

class PolicyReader implements RequestReader<Attributes> {
  private readonly lines = new LineSplitter(MAX_LINE_BYTES);
  private attributes: Attributes = new Map();
  private length = 0;

  read(chunk: Buffer): Attributes[] {
    const requests: Attributes[] = [];
    this.length += chunk.length;
    for (const line of this.lines.read(chunk)) {
      if (line !== '') {
        this.add(line);
      } else {
        requests.push(this.take());
      }
    }
    if (this.length > MAX_REQUEST_BYTES && requests.length === 0) {
      throw new MalformedRequestError();
    }
    return requests;
  }

  private add(line: string): void {
    const equals = line.indexOf('=');
    if (equals < 0) {
      throw new MalformedRequestError();
    }
    this.attributes.set(line.slice(0, equals), line.slice(equals + 1));
  }

  private take(): Attributes {
    const { attributes } = this;
    if (attributes.get('request') !== REQUEST) {
      throw new MalformedRequestError();
    }
    this.attributes = new Map();
    this.length = 0;
    return attributes;
  }
}
