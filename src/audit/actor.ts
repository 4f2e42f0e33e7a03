/** How many digits of an id are shown, from its end, where they are random. */
const ID_END = 8;

export const ACTOR_TYPE_MEANINGS = {
  api_key: 'a request with this API key',
  source: 'an event of this source',
  cli: 'a command of the operator',
  import: 'a row of this import',
  person: 'somebody in the console',
  recipient: 'the recipient, by an unsubscribe link',
  system: 'the service itself',
  provider_list: 'an entry of this provider list',
} as const;

export type ActorType = keyof typeof ACTOR_TYPE_MEANINGS;

export const ACTOR_TYPES = Object.keys(ACTOR_TYPE_MEANINGS) as readonly ActorType[];

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

/** The name and the provider of the source to which the events posted by an account's own mailers belong. */
export const POSTED_EVENTS = 'event';

/** The name of a source, as people read it. */
export function sourceName(name: string): string {
  return name === POSTED_EVENTS ? 'your own mailers' : name;
}

/** The actor of a change, as a phrase that follows "by". */
export function actorText({ type, id, name }: Actor): string {
  switch (type) {
    case 'api_key':
      return `the API key ${apiKeyName(name, id)}`;
    case 'source':
      return name === POSTED_EVENTS ? sourceName(name) : `the source ${name}`;
    case 'import':
      return `the import ${name}`;
    case 'cli':
      return `${name} at the command line`;
    case 'person':
      return name;
    case 'recipient':
      return 'the recipient';
    case 'system':
      return `the service (${name})`;
    case 'provider_list':
      return `the provider list ${name}`;
  }
}
