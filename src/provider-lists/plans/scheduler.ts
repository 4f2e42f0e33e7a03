import type { Actor } from '../../audit/actor.js';

/** Who makes and applies the plans that an interval asks for. */
export const SCHEDULER: Actor = { type: 'system', id: null, name: 'interval of the provider list' };
