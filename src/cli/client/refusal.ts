import { EXIT_CODE } from '../../process/operator-error.js';

/** The body of an error, as docs/errors.md describes it. */
interface Refusal {
  name?: string;
  code?: string;
  message?: string;
  parameter?: string;
  problem?: string;
  errors?: { path: string; message: string }[];
}

const MAPPING = '--mapping email=Address,cause=Reason,created_at=Date';

/** Advice about each parameter that an error may name, except `file`. */
const ADVICE: Readonly<Record<string, string>> = {
  accept_stop: 'To apply it anyway, add --accept-stop.',
  confirm: 'Look at the lift again, and repeat the command.',
  consent: 'Add --consent our_error, and --reference with the place where the mistake is documented.',
  column: 'Name the column of the addresses with --column.',
  format: `Name the format with --format (csv, if the addresses must not be mailed), or the columns with ${MAPPING}.`,
  mapping: `Name the columns with ${MAPPING}.`,
  topic: 'Name the topic with --topic.',
};
/** The options of commands whose names differ from those of the fields that they set. */
const OPTIONS: Readonly<Record<string, string>> = {
  contact: 'The address',
  domains: '--domain',
  expires_at: '--expires',
  filename: 'The name of the file',
  rule: 'The rule',
  suppression: 'The suppression',
};
const REMOVAL_NOT_ALLOWED = 'removal_not_allowed';
const UNKNOWN_COLUMN = 'unknown_email_column';
const FIELD = /^[a-z_]+$/;
/** Another field in the message about one. */
const OTHER_FIELD = /(?<=later than )[a-z_]+|[a-z_]+(?= is given)/;

/** The meaning of a refusal of the service for a command. */
export interface ReadRefusal {
  /** The explanation in the terms of the command line. Undefined if the response is not the service's. */
  message?: string | undefined;
  code?: string | undefined;
  exitCode: number;
}

/** Reads the service's own explanation, which names fields instead of options. */
export function readOwnWords(body: string): ReadRefusal {
  try {
    const { message, code } = JSON.parse(body) as Refusal;
    return { message, code, exitCode: EXIT_CODE.failed };
  } catch {
    return { exitCode: EXIT_CODE.failed };
  }
}

/** An unknown path says nothing about the requested object, so its exit code is not "not found". */
export function readRefusal(body: string): ReadRefusal {
  try {
    const { name, code, message, parameter, problem, errors } = JSON.parse(body) as Refusal;
    if (errors) {
      return { message: `${errors.map(explainField).join('; ')}.`, code, exitCode: EXIT_CODE.wrongUsage };
    }
    if (code === REMOVAL_NOT_ALLOWED) {
      return { message: message && withOptions(message), code, exitCode: EXIT_CODE.failed };
    }
    const isWrongValue = code === UNKNOWN_COLUMN;
    return {
      message: parameter === undefined ? message : [problem, ADVICE[parameter]].filter(Boolean).join(' '),
      code,
      exitCode:
        name === 'not_found' ? EXIT_CODE.notFound : isWrongValue ? EXIT_CODE.wrongUsage : EXIT_CODE.failed,
    };
  } catch {
    return { exitCode: EXIT_CODE.failed };
  }
}

/** Names the options for the evidence that a guarded removal needs. */
function withOptions(message: string): string {
  return message
    .replace('needs a note.', 'needs a note (--note).')
    .replace('and a consent.', 'and a consent (--consent and --reference).');
}

function explainField({ path, message }: { path: string; message: string }): string {
  return `${optionOf(path)} ${message.replace(OTHER_FIELD, optionOf)}`;
}

function optionOf(field: string): string {
  return FIELD.test(field) ? (OPTIONS[field] ?? `--${field.replaceAll('_', '-')}`) : field;
}
