import type { Provider } from './provider.js';
import { brevo } from './providers/brevo/provider.js';
import { mail } from './providers/mail/provider.js';
import { mailgun } from './providers/mailgun/provider.js';
import { mailjet } from './providers/mailjet/provider.js';
import { postmark } from './providers/postmark/provider.js';
import { resend } from './providers/resend/provider.js';
import { sendgrid } from './providers/sendgrid/provider.js';
import { ses } from './providers/ses/provider.js';
import { sparkpost } from './providers/sparkpost/provider.js';

/** Every provider that is understood. To add one, write its folder and name it here. */
export const PROVIDERS = [resend, ses, sendgrid, postmark, mailgun, sparkpost, brevo, mailjet, mail] as const;

export type ProviderName = (typeof PROVIDERS)[number]['name'];

export const PROVIDER_NAMES: readonly ProviderName[] = PROVIDERS.map(({ name }) => name);

export function providerNamed(name: string): Provider | undefined {
  return PROVIDERS.find((provider) => provider.name === name);
}
