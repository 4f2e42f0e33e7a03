/** What providers call the kinds of mail that a recipient can leave one by one. */
export const UNIT_KINDS = ['group', 'stream', 'tag', 'list', 'topic'] as const;

export type UnitKind = (typeof UNIT_KINDS)[number];

/** A kind of mail at a provider, such as the unsubscribe group 10 of SendGrid. */
export interface TopicUnit {
  kind: UnitKind;
  name: string;
}

export const MAX_UNIT_NAME_LENGTH = 200;

/** The units with these names, without those that have none. */
export function unitsOf(kind: UnitKind, ...names: (string | undefined)[]): TopicUnit[] {
  return names.flatMap((name) => (name && name.length <= MAX_UNIT_NAME_LENGTH ? { kind, name } : []));
}
