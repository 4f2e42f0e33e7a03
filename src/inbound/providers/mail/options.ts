import { parseDomain } from '../../../email-address/domain.js';
import { InvalidEmailAddress } from '../../../email-address/invalid-email-address.js';
import { Invalid } from '../../../validation/invalid.js';
import { listOption, option } from '../source-option.js';

/** A report that returns one of these Message-IDs is about mail of the account. */
export const MESSAGE_ID_DOMAINS = listOption({
  name: 'messageIdDomains',
  flag: '--message-id-domain <domain>',
  description: 'Domain of your Message-IDs, which prove that a report is about your mail',
  parse: parseMessageIdDomain,
});

export const UNPROVEN_REPORTS = option({
  name: 'unproven',
  flag: '--unproven <allow|refuse>',
  description: 'Whether to accept reports without proof that they are about your mail',
  parse: (text): 'allow' | 'refuse' | Invalid =>
    text === 'allow' || text === 'refuse' ? text : new Invalid('must be allow or refuse'),
});

function parseMessageIdDomain(text: string): string | Invalid {
  const domain = parseDomain(text);
  return domain instanceof InvalidEmailAddress || !/\w\.\w/.test(domain)
    ? new Invalid('must be the domain of Message-IDs, as in <42@mail.example.com>')
    : text;
}
