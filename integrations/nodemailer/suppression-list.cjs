/**
 * Asks the suppression list before nodemailer sends an email. Works with nodemailer 6 and newer, and with
 * `@nestjs-modules/mailer`.
 *
 *     const { withSuppressionList } = require('./suppression-list.cjs');
 *     const transporter = withSuppressionList(nodemailer.createTransport({ host: 'mail.example.com' }), {
 *       url: 'https://suppressions.example.com',
 *       apiKey: process.env.SUPPRESSIONS_API_KEY,
 *       onUnavailable: 'throw',
 *     });
 *     await transporter.sendMail({ to, bcc, subject, text, headers: { 'X-Suppression-Purpose': 'transactional' } });
 *
 * integrations/README.md describes the options and what they do.
 */
const { callbackify } = require('node:util');
const addressparser = require('nodemailer/lib/addressparser');

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

/** Adds the check to a transporter of nodemailer, and returns that transporter. */
function withSuppressionList(transporter, options) {
  const list = new SuppressionList(options);
  const sendMail = transporter.sendMail.bind(transporter);
  // This step sees the defaults of the transporter, and what earlier plugins added.
  transporter.use('compile', (mail, done) => {
    callbackify(() => list.apply(mail.data))(done);
  });
  transporter.sendMail = (data, callback) => {
    const sent = sendMail(data).catch((error) => {
      if (error instanceof NobodyLeft) {
        return error.info;
      }
      throw error;
    });
    return callback ? callbackify(() => sent)(callback) : sent;
  };
  // createTransport() takes objects with this method as transports. @nestjs-modules/mailer passes its transport there.
  transporter.send = (mail, callback) => transporter.sendMail(mail.data, callback);
  return transporter;
}

/** Ends an email to nobody inside nodemailer. Callers never see it. */
class NobodyLeft extends Error {
  constructor(from) {
    super('All recipients are suppressed.');
    this.info = { messageId: '', envelope: { from, to: [] }, accepted: [], rejected: [], pending: [] };
  }
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

  /** Removes the suppressed recipients from the data of an email, and its header for the purpose. */
  async apply(data) {
    const headers = toList(data.headers);
    const valuesOf = (name) => headers.filter(({ key }) => nameOf(key) === name).map(({ value }) => value);
    const purpose = valuesOf(PURPOSE_HEADER)[0] || this.purpose;
    for (const field of FIELDS.filter((each) => valuesOf(each).length > 0)) {
      data[field] ||= valuesOf(field); // nodemailer mails the recipients in headers, unless this field replaces them.
    }
    data.headers = headers.filter(({ key }) => ![PURPOSE_HEADER, ...FIELDS].includes(nameOf(key)));
    const places = data.envelope ? [data.envelope, data] : [data];
    const fields = places.flatMap((place) => FIELDS.map((field) => [place, field]));
    const read = fields.map(([place, field]) => parse(place[field]));
    const emails = [...new Set(read.flat().map(({ address }) => address))].filter(Boolean);
    const isLinked = valuesOf('list-unsubscribe').length > 0 || data.list?.unsubscribe;
    const { suppressed, links } = await this.check(emails, purpose, emails.length === 1 && !isLinked);
    if (suppressed.size > 0 && this.onSuppressed === 'throw') {
      throw new RecipientsSuppressedError([...suppressed]);
    }
    let left = 0;
    fields.forEach(([place, field], index) => {
      const kept = read[index].filter(({ address }) => !suppressed.has(address));
      left += place === places[0] ? kept.length : 0;
      if (kept.length < read[index].length) {
        place[field] = kept;
      }
    });
    if (suppressed.size > 0 && left === 0) {
      throw new NobodyLeft(data.envelope?.from || parse(data.from)[0]?.address || false);
    }
    data.headers.push(...Object.entries(links).map(([key, value]) => ({ key, value })));
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

/** The headers of nodemailer, an object, one header, or an array of them, as an array. */
function toList(headers = {}) {
  if (Array.isArray(headers) || (headers.key && headers.value)) {
    return [headers].flat();
  }
  return Object.entries(headers).map(([key, value]) => ({ key, value }));
}

/** The name of a header as nodemailer reads it, in lower case. */
function nameOf(key) {
  return String(key)
    .replace(/[\p{Cc}\s:]+/gu, '')
    .toLowerCase();
}

/** Reads what nodemailer takes as recipients: text with one address, several, or groups; objects; arrays of these. */
function parse(recipients) {
  return [recipients].flat(Infinity).flatMap((recipient) => {
    if (recipient?.group) {
      return parse(recipient.group);
    }
    return recipient?.address
      ? [{ ...recipient, address: mailedAddress(recipient.address) }]
      : addressparser(recipient ?? '', { flatten: true });
  });
}

/** An address as nodemailer writes it into the envelope, without angle brackets. */
function mailedAddress(address) {
  return String(address)
    .replace(/[\p{Cc}<>]+/gu, ' ')
    .trim();
}

module.exports = { withSuppressionList, RecipientsSuppressedError, SuppressionListUnavailableError };
