import { Invalid } from '../../validation/parsers.js';

/** What a person chose for a source, by the names of its options. */
export type SourceOptions = Readonly<Record<string, unknown>>;

interface Declaration<Value> {
  readonly name: string;
  /** How the command line writes it: `--topic-arn <arn>`. */
  readonly flag: string;
  readonly description: string;
  /** What to do if a source lacks it, as a sentence; undefined if a source can do without. */
  readonly required?: string;
  /** Reads one value. A value that was read before is read again as the same one. */
  parse(text: string): Value | Invalid;
}

/** A choice that sources of a provider have. The provider declares it. */
export interface SourceOption<Value = unknown> extends Declaration<unknown> {
  /** Whether a source can have several values, each with a flag of its own. */
  readonly isList: boolean;
  of(options: SourceOptions): Value | undefined;
}

export function option<Value>(declaration: Declaration<Value>): SourceOption<Value> {
  return { ...declaration, isList: false, of: (options) => options[declaration.name] as Value | undefined };
}

export function listOption<Value>(declaration: Declaration<Value>): SourceOption<readonly Value[]> {
  return {
    ...declaration,
    isList: true,
    of: (options) => options[declaration.name] as readonly Value[] | undefined,
  };
}

export function parseNumber(text: string): number | Invalid {
  return /^\d{1,15}$/.test(text) ? Number(text) : new Invalid('must be a number');
}

/** Every provider returns something that a sender can attach to an email. */
export const EMAIL_ID_FIELD = option({
  name: 'emailIdField',
  flag: '--email-id-field <field>',
  description: 'Tag, variable, metadata, or header field with your own UUID of the email',
  parse: (text) => text,
});
