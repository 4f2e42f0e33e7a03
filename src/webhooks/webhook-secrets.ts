import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { firstAndLast, reencryptRows, StoredSecrets } from '../secrets/stored-secrets.js';
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

  /** See {@link reencryptRows}. */
  reencrypt(): Promise<number> {
    return reencryptRows(this.webhooks, 'signingSecrets', ({ id, signingSecrets }) => {
      const encrypted = this.secrets.reencrypt(id, signingSecrets);
      return encrypted && { signingSecrets: encrypted, version: () => 'version + 1' };
    });
  }
}
