import type { MappedUnit } from '../../inbound/sources/source-topics.service.js';
import type { Source } from '../../inbound/sources/source.entity.js';

export function toRow({ id, provider, name, createdAt, pausedAt }: Source): Record<string, unknown> {
  return {
    id,
    provider,
    name,
    created_at: createdAt.toISOString(),
    paused_at: pausedAt?.toISOString() ?? null,
  };
}

export function toTopicRow({ unit, topic, isMapped }: MappedUnit): Record<string, unknown> {
  return { unit: `${unit.kind}:${unit.name}`, topic: topic.key, mapped: isMapped };
}
