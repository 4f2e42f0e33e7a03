import type { Source } from '../inbound/sources/source.entity.js';

/** The columns that every table of sources has. */
export function toRow({ id, provider, name, createdAt, pausedAt }: Source): Record<string, unknown> {
  return {
    id,
    provider,
    name,
    created_at: createdAt.toISOString(),
    paused_at: pausedAt?.toISOString() ?? null,
  };
}
