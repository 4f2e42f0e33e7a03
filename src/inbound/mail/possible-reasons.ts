/** "Possible reasons are:", "for one of the following reasons", "This usually means that". */
const POSSIBLE_REASONS =
  /\b(?:possible|probable|likely|common|typical|usual|some|several|various) (?:\w+ ){0,3}(?:reasons?|causes?|explanations?)\b|\b(?:one|any|some) (?:or more )?of (?:the |these )?(?:following|below) (?:\w+ )?(?:reasons?|causes?|problems?|conditions?)\b|\b(?:reasons?|causes?) (?:may|might|could|can) (?:be|include)\b|\b(?:usually|often|typically|probably|generally) (?:means|indicates|happens|occurs|(?:is )?caused|because|due)\b/i;
/** What a mail server says about this mail: an address, the title of a section, or, below a blank line, a reply. */
const FACT = /@|^\s*-{3,}/;
const REPLY = /^\s*[45]\d\d[- ]/;

/** Omits lists of what may have happened, up to the next fact: one of their reasons would be taken for the reason. */
export function withoutPossibleReasons(lines: string[]): string[] {
  let isList = false;
  return lines.filter((line, index) => {
    const isFact = FACT.test(line) || (REPLY.test(line) && lines[index - 1]?.trim() === '');
    isList = !isFact && (isList || POSSIBLE_REASONS.test(line));
    return !isList;
  });
}
