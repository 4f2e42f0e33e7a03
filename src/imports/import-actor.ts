import type { ChangeActor } from '../ledger/actor.js';
import type { FoundImport } from './imports.repository.js';

/** An import changes the list in its own name; its id leads to its creator. */
export function actorOfImport(found: FoundImport): ChangeActor {
  return { type: 'import', id: found.id, name: titleOf(found) };
}

/** The name of an import, or of its file, or else `plain, 2026-01-15 09:30 UTC`. */
export function titleOf({ name, filename, plan, createdAt }: FoundImport): string {
  return name ?? filename ?? `${plan.format}, ${createdAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
