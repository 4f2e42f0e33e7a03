import { Injectable, Logger } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Metrics } from '../metrics/metrics.js';
import { BackgroundTasks } from '../process/background-tasks.js';
import { StoredSecrets } from '../secrets/stored-secrets.js';

/**
 * Tells at start, and from then on, whether SECRETS_KEY can decrypt what is stored. The instance stays ready: other work needs no
 * secrets, and another instance would have the same key.
 */
@Injectable()
export class SecretsCheck {
  private readonly logger = new Logger(SecretsCheck.name);
  private readonly unreadable: Gauge<'kind'>;
  private logged = '';

  constructor(
    private readonly secrets: StoredSecrets,
    { registry }: Metrics,
    tasks: BackgroundTasks,
  ) {
    this.unreadable = new Gauge({
      name: 'suppression_list_secrets_unreadable',
      help: '1 if stored secrets cannot be decrypted with SECRETS_KEY',
      labelNames: ['kind'],
      aggregator: 'max',
      registers: [registry],
    });
    tasks.add({
      name: SecretsCheck.name,
      intervalMs: 60_000,
      runsAtStart: true,
      failure: 'it was not checked whether secrets can be decrypted',
      run: () => this.check(),
    });
  }

  private async check(): Promise<void> {
    const readable = await this.secrets.areReadable();
    readable.forEach((isReadable, kind) => this.unreadable.set({ kind }, isReadable ? 0 : 1));
    const kinds = [...readable].filter(([, isReadable]) => !isReadable).map(([kind]) => kind);
    const found = kinds.join(', ');
    if (found !== this.logged && found !== '') {
      this.logger.error({
        msg:
          'secrets cannot be decrypted: SECRETS_KEY is not set, or is not the key that encrypted them; ' +
          'restore that key, in all instances, and restart',
        secrets: found,
      });
    }
    this.logged = found;
  }
}
