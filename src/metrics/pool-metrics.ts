import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import { SpreadPool } from '../database/citus/spread-pool.js';
import { LOOKUPS } from '../database/database.module.js';
import { poolOf } from '../database/pool.js';
import { ReadReplica } from '../database/read-replica.js';
import { Metrics } from './metrics.js';

/** Measures the connection pools, and the use and the lag of the read replica. */
@Injectable()
export class PoolMetrics {
  constructor(
    { registry }: Metrics,
    dataSource: DataSource,
    @InjectDataSource(LOOKUPS) lookups: DataSource,
    replica: ReadReplica,
  ) {
    const connections = new Gauge({
      name: 'suppression_list_database_connections',
      help: 'Connections to the database',
      labelNames: ['pool', 'state'],
      registers: [registry],
      collect() {
        for (const [pool, { totalCount, idleCount }] of pools()) {
          connections.set({ pool, state: 'idle' }, idleCount);
          connections.set({ pool, state: 'busy' }, totalCount - idleCount);
        }
      },
    });
    const waiting = new Gauge({
      name: 'suppression_list_database_waiting',
      help: 'Statements and transactions that wait for a connection',
      labelNames: ['pool'],
      registers: [registry],
      collect() {
        for (const [pool, { waitingForConnection }] of pools()) {
          waiting.set({ pool }, waitingForConnection);
        }
      },
    });
    const spread = poolOf(dataSource);
    if (spread instanceof SpreadPool) {
      const node = new Gauge({
        name: 'suppression_list_database_node_up',
        help: '1 if the node of a spread database could be reached, 0 if its accounts get 503',
        labelNames: ['node'],
        aggregator: 'min',
        registers: [registry],
        collect() {
          node.reset();
          for (const { node: at } of spread.topology.buckets) {
            node.set({ node: `${at.host}:${at.port}` }, Number(spread.nodes.isUp(at)));
          }
        },
      });
    }
    const ofReplica = [
      ['up', '1 if reads run on the read replica, 0 if on the primary', 'min', () => replica.isUp],
      ['lag_seconds', 'How far the read replica is behind the primary', 'max', () => replica.lagSeconds],
    ] as const;
    for (const [name, help, aggregator, read] of ofReplica) {
      const gauge: Gauge = new Gauge({
        name: `suppression_list_read_replica_${name}`,
        help,
        aggregator,
        registers: [registry],
        collect() {
          const value = read();
          if (value === undefined) {
            gauge.remove();
          } else {
            gauge.set(Number(value));
          }
        },
      });
    }
    const pools = () => [
      ['main', poolOf(dataSource)] as const,
      ['lookups', poolOf(lookups)] as const,
      ...(replica.dataSource ? [['replica', poolOf(replica.dataSource)] as const] : []),
    ];
  }
}
