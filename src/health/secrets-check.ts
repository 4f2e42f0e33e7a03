import { Injectable, Logger } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Metrics } from '../metrics/metrics.js';
import { BackgroundTasks } from '../process/background-tasks.js';
import { StoredSecrets } from '../secrets/stored-secrets.js';

/**
 * Reports, at start and from then on, whether SECRETS_KEY can decrypt the stored secrets. If not, the instance stays ready,
 * because other work needs no secrets, and another instance would have the same key.
 */
@Injectable()
export class SecretsCheck {
  private readonly logger = new Logger(SecretsCheck.name);
  private readonly gauge: Gauge<'kind'>;
  private lastUnreadable = '';

  constructor(
    private readonly secrets: StoredSecrets,
    { registry }: Metrics,
    tasks: BackgroundTasks,
  ) {
    this.gauge = new Gauge({
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
    readable.forEach((isReadable, kind) => this.gauge.set({ kind }, isReadable ? 0 : 1));
    const kinds = [...readable].filter(([, isReadable]) => !isReadable).map(([kind]) => kind);
    const unreadable = kinds.join(', ');
    if (unreadable === this.lastUnreadable) {
      return;
    }
    if (unreadable === '') {
      this.logger.log('all secrets can be decrypted again');
    } else {
      this.logger.error({
        msg:
          'secrets cannot be decrypted: SECRETS_KEY is not set, or is not the key that encrypted them; ' +
          'restore that key, in all instances, and restart',
        secrets: unreadable,
      });
    }
    this.lastUnreadable = unreadable;
  }
}
