import { EXIT_CODE } from '../../process/operator-error.js';

interface Refusal {
  name?: string;
  code?: string;
  message?: string;
  errors?: { path: string; message: string }[];
}

/** The options of commands whose names are not those of the fields that they fill. */
const OPTIONS: Readonly<Record<string, string>> = { expires_at: '--expires' };
const UNKNOWN_COLUMN = 'unknown_email_column';
const FIELD = /^[a-z_]+$/;
/** The service advises its callers to add query parameters, which are options of the command. */
const QUERY_PARAMETER = /\?(format|mapping|column)=(?=(\w?))/g;
const HOW_TO_SEND = / Send the (?:list|recipients) as .*$/s;

/** Explains a refusal of the service in the terms of the command line. Undefined if the response is not the service's. */
export function explainRefusal(body: string): string | undefined {
  try {
    const { message, errors } = JSON.parse(body) as Refusal;
    return errors
      ? `${errors.map(explainField).join('; ')}.`
      : message?.replace(HOW_TO_SEND, '').replaceAll(QUERY_PARAMETER, toOption);
  } catch {
    return undefined;
  }
}

/** An unknown path says nothing about what the request names, so it is not "not found". */
export function exitCodeForRefusal(body: string): number {
  try {
    const { name, code, errors } = JSON.parse(body) as Refusal;
    const isWrongValue = errors !== undefined || code === UNKNOWN_COLUMN;
    return name === 'not_found' ? EXIT_CODE.notFound : isWrongValue ? EXIT_CODE.wrongUsage : EXIT_CODE.failed;
  } catch {
    return EXIT_CODE.failed;
  }
}

function explainField({ path, message }: { path: string; message: string }): string {
  const option = FIELD.test(path) ? (OPTIONS[path] ?? `--${path.replaceAll('_', '-')}`) : path;
  return `${option} ${message}`;
}

function toOption(_parameter: string, name: string, value: string): string {
  return value ? `--${name} ` : `--${name}`;
}
