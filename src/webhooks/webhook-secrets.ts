import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Raw, Repository } from 'typeorm';
import { firstAndLast, StoredSecrets } from '../secrets/stored-secrets.js';
import { SigningSecrets } from './signing-secrets.js';
import { Webhook } from './webhook.entity.js';

const SAMPLE = firstAndLast<Pick<Webhook, 'id' | 'signingSecrets'>>(
  'webhooks',
  'id, signing_secrets AS "signingSecrets"',
  ['account_id', 'id'],
);

/** Reencrypts the signing secrets of all webhooks when SECRETS_KEY changes. */
@Injectable()
export class WebhookSecrets {
  constructor(
    @InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>,
    private readonly secrets: SigningSecrets,
    stored: StoredSecrets,
  ) {
    stored.add('webhooks', SAMPLE, ({ id, signingSecrets }) => this.secrets.current(id, signingSecrets));
  }

  /**
   * Encrypts the secrets that only the previous key can decrypt with the current one.
   *
   * @returns the number of webhooks whose secrets were encrypted
   * @throws {SecretsKeyMissingError}
   * @throws {UnreadableSecretError} when neither key can read a secret; webhooks before it are done
   */
  async reencrypt(): Promise<number> {
    let count = 0;
    for (const { accountId, id, signingSecrets } of await this.webhooks.find({ order: { id: 'ASC' } })) {
      const encrypted = this.secrets.reencrypt(id, signingSecrets);
      if (encrypted) {
        const secrets = JSON.stringify(signingSecrets);
        const unchanged = Raw((column) => `${column} = :secrets::jsonb`, { secrets });
        await this.webhooks.update(
          { accountId, id, signingSecrets: unchanged },
          { signingSecrets: encrypted, version: () => 'version + 1' },
        );
        count++;
      }
    }
    return count;
  }
}
