import type { Command } from 'commander';
import { SourcesService } from '../inbound/sources/sources.service.js';
import { WebhooksService } from '../webhooks/webhooks.service.js';
import { withServices } from './context.js';
import { command } from './options.js';
import { print } from './output.js';

export function secretsCommand(): Command {
  const rotate = command(
    'rotate',
    'Encrypt the secrets of all sources and webhooks with SECRETS_KEY; SECRETS_KEY_PREVIOUS reads them',
  ).action(rotateSecrets);
  return command('secrets', 'Change the key that encrypts the secrets of sources and webhooks').addCommand(
    rotate,
  );
}

function rotateSecrets(): Promise<void> {
  return withServices(async (app) => {
    const sources = await app.get(SourcesService).rotateSecrets();
    const webhooks = await app.get(WebhooksService).encryptSecretsAgain();
    await print(
      `Encrypted the secrets of ${sources} sources and ${webhooks} webhooks. SECRETS_KEY_PREVIOUS is not needed any more.`,
    );
  });
}
