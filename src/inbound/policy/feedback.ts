import { ignore, suppress, watch, type Mapping } from './mapping.js';

/** By type in lower case: RFC 5965, section 7.3, RFC 6430, RFC 6591, and those of providers, who may omit it. */
export const FEEDBACK_TYPES: ReadonlyMap<string, Mapping> = new Map([
  ['', suppress('complaint', 'the recipient complained about the mail')],
  ['abuse', suppress('complaint', 'the recipient reported the mail as spam')],
  ['fraud', suppress('complaint', 'the recipient reported the mail as fraud')],
  ['other', suppress('complaint', 'the recipient complained about the mail')],
  ['miscategorized', suppress('complaint', 'the recipient says that the mail was miscategorized')],
  ['opt-out', suppress('unsubscribe', 'the recipient opted out')],
  ['opt-out-list', suppress('unsubscribe', 'the recipient opted out of the list')],
  ['not-spam', ignore('unknown', 'the recipient says that the mail is not spam')],
  ['auth-failure', ignore('unknown', 'the report is about authentication, not a complaint')],
  ['dmarc', ignore('unknown', 'the report is about authentication, not a complaint')],
  ['virus', ignore('unknown', 'the report is about a virus, not a complaint')],
]);

/** A complaint that conceals who complained, and names everybody who may have. */
export const ONE_OF_SEVERAL_COMPLAINED: Mapping = watch(
  'complaint',
  'one of several recipients complained, and the report conceals which one',
);
