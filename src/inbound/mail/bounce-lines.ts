import { findAddresses, type FoundAddress } from './address-text.js';

/** A line that ends at least here, with the first word of the next one, was probably wrapped. */
const WIDTH = 66;
/** Longer lines are not extended. */
const MAX_LENGTH = 2_000;
const BEFORE_ADDRESS = /^\s*[<"'([]?$/;
const NOTHING_AFTER = /^[>"')\]]?:?\s*$/;
/** The text after an address in the middle of a sentence, or at its end. */
const SENTENCE_GOES_ON = /^[>"')\]]?(?:\.\s*$|,? [a-z])/;
const ENDS_SENTENCE = /[.:;!?-]\s*$/;

interface Entry {
  indentation: number;
  isHeading: boolean;
}

/**
 * Joins a line that begins with an address to the line that it continues, since it does not name the next recipient:
 * below the entry of a recipient and indented deeper, or in the middle of a sentence. A colon before it is dropped.
 */
export function unwrapLines(lines: string[]): string[] {
  const unwrapped: string[] = [];
  let entry: Entry | undefined;
  let previous = '';
  for (const line of lines) {
    const first = firstAddress(line);
    if (first && previous.trim() !== '' && continues(line, first, previous, entry)) {
      const start = unwrapped.pop()!;
      unwrapped.push(start.length < MAX_LENGTH ? `${start.replace(/:\s?$/, '')} ${line.trim()}` : start);
    } else {
      unwrapped.push(line);
      const isHeading = first !== undefined && NOTHING_AFTER.test(line.slice(first.end));
      entry = first ? { indentation: indentationOf(line), isHeading } : entry;
    }
    entry = line.trim() === '' ? undefined : entry;
    previous = line;
  }
  return unwrapped;
}

function continues(line: string, { end }: FoundAddress, previous: string, entry: Entry | undefined): boolean {
  const lastWord = previous.trimEnd().split(/\s/).at(-1)!;
  if (entry && indentationOf(line) > entry.indentation) {
    return !lastWord.includes('@');
  }
  const isWrapped = previous.trimEnd().length + line.trim().split(/\s/, 1)[0]!.length >= WIDTH;
  return (
    SENTENCE_GOES_ON.test(line.slice(end)) &&
    !ENDS_SENTENCE.test(previous) &&
    !lastWord.includes('@') &&
    (entry?.isHeading ?? (isWrapped && !firstAddress(previous)))
  );
}

function firstAddress(line: string): FoundAddress | undefined {
  const [first] = findAddresses(line);
  return first && BEFORE_ADDRESS.test(line.slice(0, first.start)) ? first : undefined;
}

function indentationOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** "Possible reasons are:", "for one of the following reasons", "This usually means that". */
const POSSIBLE_REASONS =
  /\b(?:possible|probable|likely|common|typical|usual|some|several|various) (?:\w+ ){0,3}(?:reasons?|causes?|explanations?)\b|\b(?:one|any|some) (?:or more )?of (?:the |these )?(?:following|below) (?:\w+ )?(?:reasons?|causes?|problems?|conditions?)\b|\b(?:reasons?|causes?) (?:may|might|could|can) (?:be|include)\b|\b(?:usually|often|typically|probably|generally) (?:means|indicates|happens|occurs|(?:is )?caused|because|due)\b/i;
/** A statement about this mail: an address, the title of a section, or a reply below a blank line. */
const FACT = /@|^\s*-{3,}/;
const REPLY = /^\s*[45]\d\d[- ]/;

/** Omits lists of possible reasons, up to the next fact. Otherwise, one of them would be taken for the actual reason. */
export function withoutPossibleReasons(lines: string[]): string[] {
  let isList = false;
  return lines.filter((line, index) => {
    const isFact = FACT.test(line) || (REPLY.test(line) && lines[index - 1]?.trim() === '');
    isList = !isFact && (isList || POSSIBLE_REASONS.test(line));
    return !isList;
  });
}
