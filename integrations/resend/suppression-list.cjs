/**
 * Asks the suppression list before the official Resend client for Node.js sends an email.
 *
 *     const { withSuppressionList } = require('./suppression-list.cjs');
 *     const resend = withSuppressionList(new Resend(process.env.RESEND_API_KEY), {
 *       url: 'https://suppressions.example.com',
 *       apiKey: process.env.SUPPRESSIONS_API_KEY,
 *       onUnavailable: 'throw',
 *     });
 *     await resend.emails.send({ from, to, bcc, subject, text, headers: { 'X-Suppression-Purpose': 'transactional' } });
 *
 * integrations/README.md describes the options and what they do.
 */
const PURPOSE_HEADER = 'x-suppression-purpose';
const MAX_ADDRESSES = 1000;
const FIELDS = ['to', 'cc', 'bcc'];

class RecipientsSuppressedError extends Error {
  name = 'RecipientsSuppressedError';
  code = 'ESUPPRESSED';
  constructor(recipients) {
    super(`The email was not sent to anybody. Suppressed recipients: ${recipients.length}.`);
    Object.defineProperty(this, 'recipients', { value: recipients });
  }
}

class SuppressionListUnavailableError extends Error {
  name = 'SuppressionListUnavailableError';
  code = 'ESUPPRESSIONLIST';
  constructor(reason) {
    super(`The suppression list could not be asked (${reason}), so the email was not sent.`);
  }
}

/** Adds the check to `emails` and `batch` of a Resend client, and returns that client. */
function withSuppressionList(resend, options) {
  const list = new SuppressionList(options);
  // send() calls create().
  const createEmail = resend.emails.create.bind(resend.emails);
  const createBatch = resend.batch.create.bind(resend.batch);
  const nothing = { data: null, error: null, headers: null };
  resend.emails.create = async (email, requestOptions) => {
    const checked = await list.apply(email);
    return checked ? createEmail(checked, requestOptions) : nothing;
  };
  resend.batch.create = async (emails, requestOptions) => {
    const checked = [];
    for (const email of emails) {
      checked.push(await list.apply(email));
    }
    const left = checked.filter(Boolean);
    return left.length > 0 ? createBatch(left, requestOptions) : nothing;
  };
  return resend;
}

class SuppressionList {
  constructor({
    url,
    apiKey,
    onUnavailable,
    onSuppressed = 'drop',
    purpose = 'any',
    timeoutMs = 2000,
    ...unknown
  }) {
    if (Object.keys(unknown).length > 0) {
      throw new TypeError(`Unknown options of the suppression list: ${Object.keys(unknown).join(', ')}.`);
    }
    if (!url || !apiKey) {
      throw new TypeError('The suppression list needs url and apiKey.');
    }
    if (!/^https?:/.test(url) || !URL.canParse(url)) {
      throw new TypeError('url must be a URL such as https://suppressions.example.com.');
    }
    if (!(Number.isFinite(timeoutMs) && timeoutMs > 0)) {
      throw new TypeError('timeoutMs must be a number above 0.');
    }
    if (!['send', 'throw'].includes(onUnavailable)) {
      throw new TypeError(
        "Set onUnavailable to 'send' or 'throw': what to do if the suppression list is unavailable.",
      );
    }
    if (!['drop', 'throw'].includes(onSuppressed)) {
      throw new TypeError("onSuppressed must be 'drop' or 'throw'.");
    }
    Object.assign(this, { url: `${url.replace(/\/+$/, '')}/suppressions/check`, apiKey });
    Object.assign(this, { onUnavailable, onSuppressed, purpose, timeoutMs });
  }

  /** Returns an email without its suppressed recipients and its header for the purpose, or null if nobody is left. */
  async apply(email) {
    const stated = Object.entries(email.headers ?? {});
    const purpose = stated.find(([name]) => name.toLowerCase() === PURPOSE_HEADER)?.[1] || this.purpose;
    const headers = Object.fromEntries(stated.filter(([name]) => name.toLowerCase() !== PURPOSE_HEADER));
    const recipients = Object.fromEntries(FIELDS.map((field) => [field, [email[field] ?? []].flat()]));
    const addresses = [...new Set(FIELDS.flatMap((field) => recipients[field].map(addressOf)))];
    const isLinked = stated.some(([name]) => name.toLowerCase() === 'list-unsubscribe');
    const { suppressed, links } = await this.check(addresses, purpose, addresses.length === 1 && !isLinked);
    if (suppressed.size > 0 && this.onSuppressed === 'throw') {
      throw new RecipientsSuppressedError([...suppressed]);
    }
    const isKept = (recipient) => !suppressed.has(addressOf(recipient));
    const [to, cc, bcc] = FIELDS.map((field) => recipients[field].filter(isKept));
    if (suppressed.size > 0 && to.length + cc.length + bcc.length === 0) {
      return null;
    }
    return { ...email, ...withTo(to, cc, bcc, email.from), headers: { ...headers, ...links } };
  }

  /** Returns which addresses are suppressed, and the headers of the only recipient's unsubscribe link. */
  async check(emails, purpose, wantsLinks) {
    const suppressed = new Set();
    let links = {};
    try {
      for (let first = 0; first < emails.length; first += MAX_ADDRESSES) {
        const batch = emails.slice(first, first + MAX_ADDRESSES);
        const results = await this.request(batch, purpose, wantsLinks && purpose !== 'transactional');
        results.forEach(({ verdict }, index) => verdict === 'suppressed' && suppressed.add(batch[index]));
        links = results[0].unsubscribe?.headers ?? {};
      }
    } catch (error) {
      const { code, message } = error.cause ?? error; // The cause of "fetch failed".
      const problem =
        error.name === 'TimeoutError' ? `no response within ${this.timeoutMs} ms` : (code ?? message);
      const reason = `${this.url}: ${problem}`;
      if (this.onUnavailable === 'throw') {
        throw new SuppressionListUnavailableError(reason);
      }
      console.warn(`The suppression list could not be asked (${reason}). The email is sent without a check.`);
    }
    return { suppressed, links };
  }

  async request(emails, purpose, wantsLinks) {
    const topic = { any: {}, transactional: { transactional: true } }[purpose] ?? { topic: purpose };
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ emails, ...topic, ...(wantsLinks && { include: ['unsubscribe'] }) }),
      signal: AbortSignal.timeout(this.timeoutMs),
    });
    const body = await response.json().catch((error) => {
      if (error.name === 'TimeoutError') {
        throw error;
      }
    });
    // The service has no PUBLIC_URL yet, so there are no links.
    if (wantsLinks && response.status === 422) {
      return this.request(emails, purpose, false);
    }
    if (response.status !== 200) {
      throw new Error(`HTTP ${response.status} ${body?.code ?? ''}`.trim());
    }
    if (body?.data?.length !== emails.length || !body.data.every(({ verdict }) => verdict)) {
      throw new Error('an unexpected response');
    }
    return body.data;
  }
}

/** Resend requires a recipient in `to`. If only those in `bcc` are left, none of them may see another one. */
function withTo(to, cc, bcc, from) {
  if (to.length > 0) {
    return { to, cc, bcc };
  }
  if (cc.length > 0) {
    return { to: cc, cc: [], bcc };
  }
  return bcc.length > 1 ? { to: [from], cc, bcc } : { to: bcc, cc, bcc: [] };
}

/** The address in `Ada <ada@example.com>`. */
function addressOf(recipient) {
  return (/<([^<>]*)>\s*$/.exec(recipient)?.[1] ?? recipient).trim();
}

module.exports = { withSuppressionList, RecipientsSuppressedError, SuppressionListUnavailableError };
