import type { MappedUnit } from '../../inbound/sources/source-topics.service.js';
import type { Source } from '../../inbound/sources/source.entity.js';

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

/** A kind of mail at the provider, and the topic that it stands for. */
export function toTopicRow({ unit, topic, isMapped }: MappedUnit): Record<string, unknown> {
  return { unit: `${unit.kind}:${unit.name}`, topic: topic.key, mapped: isMapped };
}
