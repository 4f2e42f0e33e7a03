import { parseDomain } from '../../../email-address/domain.js';
import { InvalidEmailAddress } from '../../../email-address/invalid-email-address.js';
import type { MailReport } from '../../mail/report.js';
import { EMAIL_ID_FIELD } from '../email-id-field.js';
import type { SourceSettings } from '../provider.js';
import { emailIdOf, uuidIn } from '../../parsing/email-id.js';
import { MESSAGE_ID_DOMAINS } from './options.js';
import { uuidInReturnPath } from './return-path.js';

export const RETURN_PATH_KEY = 'return_path_key';

export interface Origin {
  emailId: string | null;
  /** Whether the report shows that the email was ours. Anybody can write a report about an email that never existed. */
  isProven: boolean;
}

/**
 * A return path that is signed with the source's key proves an email and contains its id. A Message-ID under a domain of the
 * source proves it only as long as nobody knows these domains.
 */
export function originOf({ recipient, reported }: MailReport, { secrets, options }: SourceSettings): Origin {
  const key = secrets[RETURN_PATH_KEY]?.trim();
  const returned = reported.headers.get('return-path')?.toLowerCase() ?? '';
  const signed = key && uuidInReturnPath(key, [...reported.returnPaths, returned], recipient);
  const field = EMAIL_ID_FIELD.of(options)?.toLowerCase();
  const emailId = emailIdOf({
    own: signed || (uuidIn(field && reported.headers.get(field)) ?? reported.envelopeId ?? undefined),
    provider: 'mail',
    idKind: 'message-id',
    id: reported.messageId ?? undefined,
  });
  const isProven = Boolean(signed) || isUnder(MESSAGE_ID_DOMAINS.of(options) ?? [], reported.messageId);
  return { emailId, isProven };
}

function isUnder(domains: readonly string[], messageId: string | null): boolean {
  const domain = parseDomain(messageId?.slice(messageId.lastIndexOf('@') + 1) ?? '');
  if (domain instanceof InvalidEmailAddress || !messageId?.includes('@')) {
    return false;
  }
  return domains.map(parseDomain).some((parent) => `.${domain}`.endsWith(`.${String(parent)}`));
}
