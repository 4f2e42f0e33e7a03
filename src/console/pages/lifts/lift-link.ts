import { urlOf } from '../../components/pager.js';

const HOUR_MS = 60 * 60 * 1000;

/** What the form of a lift is filled with. Timestamps are in ISO 8601. */
export interface FilledConditions {
  cause: 'bounce' | 'manual';
  created_after?: string;
  created_before?: string;
  domains?: string;
  /** The id of an API key, a person, an import, or a source. */
  actor?: string;
  diagnostic?: string;
}

/** The URL of the form, filled in. */
export function liftFormUrl(conditions: FilledConditions): string {
  const { cause, created_after, created_before, domains, actor, diagnostic } = conditions;
  return urlOf('/console/lifts', { cause, created_after, created_before, domains, actor, diagnostic });
}

/** The form for what an actor recorded in the hours around a change. */
export function liftFormAround(cause: 'bounce' | 'manual', actor: string, at: Date): string {
  return liftFormUrl({
    cause,
    actor,
    created_after: new Date(at.getTime() - HOUR_MS).toISOString(),
    created_before: new Date(at.getTime() + HOUR_MS).toISOString(),
  });
}
