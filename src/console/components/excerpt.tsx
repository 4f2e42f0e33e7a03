const MAX_LENGTH = 240;
/** At most this many texts in a list can be expanded, so the page stays small even if all are long. */
const OPENABLE = 5;

interface ExcerptProps {
  text: string;
  /** The place in a list, from 0. */
  index: number;
}

/** The beginning of a text that others wrote. The rest of the first ones of a list can be opened. */
export function Excerpt({ text, index }: ExcerptProps) {
  const beginning = text.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, '');
  const rest = text.slice(beginning.length);
  if (rest === '') {
    return <>{text}</>;
  }
  if (index >= OPENABLE) {
    return <>{beginning}…</>;
  }
  return (
    <details class="excerpt">
      <summary>{beginning}…</summary>…{rest}
    </details>
  );
}
