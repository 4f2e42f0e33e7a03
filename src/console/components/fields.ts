/** The fields of a form as the browser sends them: an array where a name occurs repeatedly. */
export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What a person sent in a form that comes again: the service refused it, or asked the person to sign in first. */
export interface EnteredForm {
  /** The path that the form was sent to. */
  action: string;
  fields: Fields;
}

/** The text of a field, or an empty string if the field is missing. */
export function textOf(fields: Fields, name: string): string {
  const [value = ''] = textsOf(fields, name);
  return value.trim();
}

export function textsOf(fields: Fields, name: string): string[] {
  const values: unknown[] = [fields[name]].flat();
  return values.filter((value) => typeof value === 'string');
}

export function pick<Name extends string>(fields: Fields, names: readonly Name[]): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, textOf(fields, name)])) as Record<Name, string>;
}
