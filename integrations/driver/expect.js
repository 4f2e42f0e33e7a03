import { domainToASCII } from 'node:url';

/** What an integration logs if it sends an email without a check. */
export const WARNING = /suppression list could not be asked/;
const FIELDS = ['to', 'cc', 'bcc'];

/** The email of a case, with its sender, and with numbered recipients written out. */
export function expand(mail) {
  const numbered = (value = []) =>
    Array.isArray(value)
      ? value
      : Array.from({ length: value.count }, (_, index) =>
          value.address.replace('%', String(value.from + index)),
        );
  return {
    from: 'Shop <shop@example.net>',
    subject: 'Hello',
    text: 'Hello.',
    headers: {},
    ...mail,
    ...Object.fromEntries(FIELDS.map((field) => [field, numbered(mail[field])])),
  };
}

/** Compares what an integration did with what a case expects. Returns what is wrong. */
export function checkCase({ each, mail, result, emails, requests, output, keepsHeaders }) {
  const problems = [];
  const same = (what, actual, expected) => {
    if (JSON.stringify(actual) !== JSON.stringify(expected)) {
      problems.push(
        `${what}: ${JSON.stringify(actual)?.slice(0, 300)} instead of ${JSON.stringify(expected)?.slice(0, 300)}`,
      );
    }
  };
  const all = FIELDS.flatMap((field) => mail[field].flatMap(addressesIn));
  const expected = each.dropped ? all.filter((email) => !each.dropped.includes(email)) : each.sent;
  same('error', result.error, each.error ?? null);
  same('emails', emails.length, expected ? 1 : 0);
  same('requests', requests.length, each.requests ?? 1);
  if (requests.length > 0 && each.service !== 'no links') {
    same(
      'addresses asked about',
      sorted(requests.flatMap((request) => request.emails)),
      sorted(new Set(all)),
    );
  }
  if (each.asked) {
    const { emails: _emails, ...asked } = requests[0] ?? {};
    same('asked', Object.entries(asked).sort(), Object.entries(each.asked).sort());
  }
  if (expected && emails.length > 0) {
    const email = readEmail(emails[0]);
    same('recipients', sorted(new Set(email.recipients)), sorted(new Set(expected)));
    const dropped = all.filter((address) => !expected.includes(address));
    const shown = addressesIn(`${email.headers.to} ${email.headers.cc}`);
    if (!keepsHeaders) {
      same(
        'dropped recipients in To and Cc',
        shown.filter((address) => dropped.includes(address)),
        [],
      );
    }
    same('X-Suppression-Purpose', email.headers['x-suppression-purpose'], undefined);
    for (const [name, value] of Object.entries(each.headers ?? {})) {
      const header = email.headers[name.toLowerCase()];
      same(name, typeof value === 'string' ? header : Boolean(header), value);
    }
    if (each.headers?.['List-Unsubscribe'] === true) {
      same(
        'link',
        /^<https:\/\/lists\.example\.com\/u\/[\w-]+>$/.test(email.headers['list-unsubscribe']),
        true,
      );
    }
  }
  const said = `${result.message ?? ''} ${output}`;
  same(
    'addresses in errors and logs',
    all.filter((email) => said.includes(email)),
    [],
  );
  if (each.service === 'down') {
    same('the host of the service in errors and logs', said.includes('127.0.0.1'), true);
  }
  if (each.options?.onUnavailable === 'send' && !WARNING.test(output)) {
    problems.push('no warning about the failure');
  }
  if (result.error !== (each.error ?? null)) {
    problems.push(`message: ${result.message}`, `log: ${output.slice(0, 2000)}`);
  }
  return problems;
}

/** An email from the mail server, Resend, or Postmark. */
function readEmail(email) {
  if (email.recipients) {
    const [head] = email.text.split('\n\n');
    const lines = head.replace(/\n[ \t]/g, ' ').split('\n');
    const headers = lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]);
    return { recipients: email.recipients, headers: Object.fromEntries(headers) };
  }
  const fields = email.From ? [email.To, email.Cc, email.Bcc] : [email.to, email.cc, email.bcc];
  const headers = Array.isArray(email.Headers)
    ? email.Headers.map(({ Name, Value }) => [Name, Value])
    : Object.entries(email.headers ?? {});
  return {
    recipients: fields.flat().filter(Boolean).flatMap(addressesIn),
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
  };
}

function addressesIn(text) {
  return text.match(/[^\s<>,;:"]+@[^\s<>,;:"]+/g) ?? [];
}

/** Frameworks may write a domain in Unicode or in ASCII. */
function sorted(emails) {
  return [...emails]
    .map((email) => email.replace(/@.*/, (domain) => `@${domainToASCII(domain.slice(1)) || domain.slice(1)}`))
    .sort();
}
