import type { Cause } from '../../ledger/cause.js';
import { STILL_LISTED } from '../parsing/delivery-event.js';
import { brevo } from './brevo.js';
import { mail } from './mail.js';
import { mailgun } from './mailgun.js';
import { mailjet } from './mailjet.js';
import { postmark } from './postmark.js';
import type { Provider, SourceOption } from './provider.js';
import { resend } from './resend/provider.js';
import { sendgrid } from './sendgrid.js';
import { ses } from './ses/provider.js';
import { sparkpost } from './sparkpost.js';

/** Every provider. To add one, write its folder and name it here. */
export const PROVIDERS = [resend, ses, sendgrid, postmark, mailgun, sparkpost, brevo, mailjet, mail] as const;

export type ProviderName = (typeof PROVIDERS)[number]['name'];

export const PROVIDER_NAMES: readonly ProviderName[] = PROVIDERS.map(({ name }) => name);

/** The options of all providers, each once. */
export const SOURCE_OPTIONS: ReadonlySet<SourceOption> = new Set(
  PROVIDERS.flatMap(({ options }): readonly SourceOption[] => options),
);

export function providerNamed(name: string): Provider | undefined {
  return PROVIDERS.find((provider) => provider.name === name);
}

/** @throws {Error} when the source was created by a version of the service that had another provider */
export function providerOf(name: string): Provider {
  const provider = providerNamed(name);
  if (!provider) {
    throw new Error(`There is no provider ${name}.`);
  }
  return provider;
}

export function providersWith(option: SourceOption): string[] {
  return PROVIDERS.filter(({ options }: Provider) => options.includes(option)).map(({ name }) => name);
}

/** Says that a provider still has an address on its own list for this cause, and where a person removes it. */
export function stillListed(provider: string, cause: Cause): string {
  const list = providerNamed(provider)?.suppressionLists[cause];
  return list && 'name' in list
    ? `${STILL_LISTED}${list.name}: remove it there (${list.path}).`
    : `${STILL_LISTED}the provider's own list: remove it there.`;
}
