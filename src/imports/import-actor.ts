import type { Actor } from '../ledger/actor.js';
import type { FoundImport } from './imports.repository.js';

/** An import changes the list in its own name; its id leads to whoever started it. */
export function actorOfImport({ id, name, filename }: FoundImport): Actor {
  return { type: 'import', id, name: name ?? filename ?? 'import' };
}
