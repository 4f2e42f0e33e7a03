/** The last digits of an id are random. */
const ID_END = 8;

export const ACTOR_TYPES = ['api_key', 'source', 'cli', 'import', 'person', 'recipient', 'system'] as const;

export type ActorType = (typeof ACTOR_TYPES)[number];

export const ACTOR_TYPE_MEANINGS: Readonly<Record<ActorType, string>> = {
  api_key: 'a request with this API key',
  source: 'an event of this source',
  cli: 'a command of the operator',
  import: 'a row of this import',
  person: 'somebody in the console',
  recipient: 'the recipient, by an unsubscribe link',
  system: 'the service itself',
};

/** The name of an API key with the end of its id, since several keys may have the same name. */
export function apiKeyName(name: string, id: string | null): string {
  return id === null ? name : `${name} (…${id.slice(-ID_END)})`;
}

export interface Actor {
  type: ActorType;
  id: string | null;
  /** The name at the time of the change. */
  name: string;
}
