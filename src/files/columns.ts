const DELIMITERS = [',', ';', '\t', '|'];

/** The usual names of a column of addresses, in the form of {@link foldName}. */
export const EMAIL_COLUMNS = ['email', 'emailaddress', 'mail', 'address', 'recipient'];

/** Makes `Email Address`, `EMAIL_ADDRESS` and `emailAddress` one name. */
export function foldName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** The delimiter of a CSV: the one that its first line has most often. */
export function delimiterOf(firstLine: string): string {
  return DELIMITERS.reduce((best, delimiter) =>
    firstLine.split(delimiter).length > firstLine.split(best).length ? delimiter : best,
  );
}
