import type { Actor } from '../../src/audit/actor.js';

/** Who sets up what a test needs. */
export const OPERATOR: Actor = { type: 'cli', id: null, name: 'test' };
