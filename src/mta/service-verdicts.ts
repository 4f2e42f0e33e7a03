import type { EmailAddress } from '../email-address/email-address.js';
import { reasonOf } from '../mta-hooks/refusal-text.js';
import type { CheckedEmail } from '../replica/decision.js';
import {
  UnknownVerdictError,
  type Answer,
  type FailureReason,
  type MailPurpose,
  type VerdictSource,
} from './verdict-source.js';

/** The limit of `POST /suppressions/check`. */
const MAX_EMAILS = 1_000;
const MAX_OPEN = 2;
/** The service responds within five seconds. */
const TIMEOUT_MS = 5_000;

/** By the code of the response, or else by its status. */
const REASONS: Readonly<Record<number | string, FailureReason>> = {
  topic_not_found: 'unknown_topic',
  restricted_api_key: 'forbidden',
  401: 'unauthorized',
  403: 'unauthorized',
  429: 'rate_limited',
};

/** Gets verdicts from the service. Questions about mail for the same purpose share requests. */
export class ServiceVerdicts implements VerdictSource {
  private readonly coalescers = new Map<string, Coalescer>();

  constructor(
    private readonly url: string,
    private readonly apiKey: string,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  async check(email: EmailAddress, purpose: MailPurpose): Promise<Answer> {
    let coalescer = this.coalescers.get(purpose.name);
    if (!coalescer) {
      coalescer = new Coalescer((emails) => this.request(emails, purpose), MAX_EMAILS, MAX_OPEN);
      this.coalescers.set(purpose.name, coalescer);
    }
    try {
      return await coalescer.ask(email);
    } finally {
      if (coalescer.isIdle) {
        this.coalescers.delete(purpose.name);
      }
    }
  }

  async close(): Promise<void> {
    // Idle connections do not keep the process alive.
  }

  /** @throws {UnknownVerdictError} */
  private async request(emails: EmailAddress[], { options }: MailPurpose): Promise<Answer[]> {
    const body = JSON.stringify({ emails, ...options });
    const signal = AbortSignal.timeout(this.timeoutMs);
    const response = await this.post(body, signal)
      .catch((error: unknown) =>
        // The service may have closed an idle connection at the same moment.
        signal.aborted ? Promise.reject(error) : this.post(body, signal),
      )
      .catch((error: unknown) => {
        throw new UnknownVerdictError(signal.aborted ? 'timeout' : 'unreachable', { cause: codeOf(error) });
      });
    const received = await response.json().catch(() => undefined);
    if (!response.ok) {
      throw refusal(response.status, (received as { code?: string } | null | undefined)?.code);
    }
    return readAnswers(received, emails.length);
  }

  private post(body: string, signal: AbortSignal): Promise<Response> {
    const headers = { Authorization: `Bearer ${this.apiKey}`, 'Content-Type': 'application/json' };
    return fetch(`${this.url}/suppressions/check`, {
      method: 'POST',
      headers,
      body,
      signal,
      redirect: 'manual',
    });
  }
}

function codeOf(error: unknown): string | undefined {
  return ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code;
}

function refusal(status: number, code: string | undefined): UnknownVerdictError {
  const reason = REASONS[code ?? status] ?? REASONS[status] ?? (status >= 500 ? 'unavailable' : 'refused');
  return new UnknownVerdictError(reason, { status, code });
}

/** @throws {UnknownVerdictError} unless there is a verdict for each address */
function readAnswers(body: unknown, length: number): Answer[] {
  const data = (body as { data?: CheckedEmail[] } | undefined)?.data;
  if (!Array.isArray(data) || data.length !== length) {
    throw new UnknownVerdictError('wrong_response');
  }
  return data.map(toAnswer);
}

/** @throws {UnknownVerdictError} */
export function toAnswer({ verdict, decided_by }: CheckedEmail): Answer {
  switch (verdict) {
    case 'send':
    case 'invalid':
      return { verdict };
    case 'suppressed':
      return { verdict, ...reasonOf(decided_by!) };
    default:
      throw new UnknownVerdictError('wrong_response');
  }
}

interface Waiting {
  email: EmailAddress;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/**
 * Asks about addresses in batches. A batch has the addresses that arrive in the same turn of the event loop, or while earlier
 * batches are in flight. So an idle service is asked immediately, and a busy one in larger batches.
 */
class Coalescer {
  private waiting: Waiting[] = [];
  private open = 0;
  private isScheduled = false;

  /** @param send - returns an answer for each address, in their order */
  constructor(
    private readonly send: (emails: EmailAddress[]) => Promise<Answer[]>,
    private readonly maxSize: number,
    private readonly maxOpen: number,
  ) {}

  get isIdle(): boolean {
    return this.open === 0 && this.waiting.length === 0;
  }

  ask(email: EmailAddress): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ email, resolve, reject });
      if (!this.isScheduled && this.open < this.maxOpen) {
        this.isScheduled = true;
        setImmediate(() => {
          this.isScheduled = false;
          this.sendWaiting();
        });
      }
    });
  }

  private sendWaiting(): void {
    while (this.open < this.maxOpen && this.waiting.length > 0) {
      void this.sendBatch(this.waiting.splice(0, this.maxSize));
    }
  }

  /** If a batch fails, the questions behind it fail too, instead of waiting for as long again. */
  private async sendBatch(batch: Waiting[]): Promise<void> {
    this.open++;
    try {
      const answers = await this.send(batch.map(({ email }) => email));
      batch.forEach(({ resolve }, index) => resolve(answers[index]!));
    } catch (error) {
      [...batch, ...this.waiting.splice(0)].forEach(({ reject }) => reject(error));
    } finally {
      this.open--;
      this.sendWaiting();
    }
  }
}
