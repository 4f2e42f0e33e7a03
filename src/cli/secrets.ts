import type { Command } from 'commander';
import { Pseudonyms } from '../contacts/erasure/pseudonyms.js';
import { SourceSecrets } from '../inbound/sources/source-secrets.js';
import { ListCredentials } from '../provider-lists/list-credentials.js';
import { WebhookSecrets } from '../webhooks/webhook-secrets.js';
import { UnsubscribeKeysService } from '../unsubscribe-links/unsubscribe-keys.service.js';
import { withServices } from './context.js';
import { command } from './options.js';
import { print } from './output.js';

export function secretsCommand(): Command {
  const rotate = command(
    'rotate',
    'Encrypt all secrets with SECRETS_KEY instead of SECRETS_KEY_PREVIOUS',
  ).action(rotateSecrets);
  return command(
    'secrets',
    'Rotate the key that encrypts the secrets of sources, webhooks, provider lists, unsubscribe links, and erasures',
  ).addCommand(rotate);
}

function rotateSecrets(): Promise<void> {
  return withServices(async (app) => {
    const sources = await app.get(SourceSecrets).reencrypt();
    const lists = await app.get(ListCredentials).reencrypt();
    const webhooks = await app.get(WebhookSecrets).reencrypt();
    const keys = await app.get(UnsubscribeKeysService).rotateSecrets();
    const erasureKeys = await app.get(Pseudonyms).reencrypt();
    const isDone = [sources, lists, webhooks, keys, erasureKeys].every((count) => count === 0);
    await print(
      isDone
        ? 'All secrets are already encrypted with SECRETS_KEY.'
        : `Encrypted the secrets of ${sources} sources, ${webhooks} webhooks, ${lists} provider lists, ${keys} unsubscribe keys, ` +
            `and ${erasureKeys} erasure keys. SECRETS_KEY_PREVIOUS is no longer needed.`,
    );
  });
}
