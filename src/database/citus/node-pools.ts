import type { PoolClient } from 'pg';
import type { ServingPool } from '../serving-data-source.js';
import { NodeConnections } from './node-connections.js';
import type { SpreadPoolConfig } from './spread-pool.js';
import type { Node } from './topology.js';

/** The connections to each node. */
export class NodePools {
  private readonly nodes = new Map<string, NodeConnections>();

  constructor(
    private readonly config: SpreadPoolConfig,
    private readonly onError: (error: Error) => void,
  ) {}

  get all(): ServingPool[] {
    return [...this.nodes.values()].map(({ current }) => current);
  }

  connect(node: Node): Promise<PoolClient> {
    const url = this.config.urlOf(node);
    let connections = this.nodes.get(url);
    if (!connections) {
      connections = new NodeConnections(url, this.config, this.onError);
      this.nodes.set(url, connections);
    }
    return connections.connect();
  }

  /** Whether a node is up, as far as statements have shown. */
  isUp(node: Node): boolean {
    return this.nodes.get(this.config.urlOf(node))?.isUp ?? true;
  }

  /** Closes the connections to addresses that no node has any more, once they are idle. */
  keep(nodes: readonly Node[]): void {
    const urls = new Set(nodes.map((node) => this.config.urlOf(node)));
    for (const [url, connections] of this.nodes) {
      if (!urls.has(url)) {
        this.nodes.delete(url);
        void connections.end().catch(() => undefined);
      }
    }
  }

  async end(): Promise<void> {
    await Promise.all([...this.nodes.values()].map((connections) => connections.end()));
  }
}
