const [QUOTE, BACKSLASH, COLON, COMMA, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] =
  Buffer.from('"\\:,[]{}');

const MAX_NAME_BYTES = 50;

/** Limits for untrusted JSON, because code that walks parsed JSON is recursive and visits every value. */
export interface JsonLimits {
  depth: number;
  values: number;
  /**
   * Whether an object may repeat a name. Which value counts is then undefined (RFC 8259, section 4); `JSON.parse` returns the
   * last one.
   */
  mayRepeatNames: boolean;
}

/**
 * Checks JSON against limits before it is parsed, in one pass over its bytes.
 *
 * @param json - UTF-8; need not be valid JSON
 * @returns the problem as the end of a sentence, or undefined if the JSON is within the limits
 */
export function problemWithJson(json: Buffer, limits: JsonLimits): string | undefined {
  const names = limits.mayRepeatNames ? undefined : new Names(json);
  let depth = 0;
  let values = 1;
  let inString = false;
  let stringStart = 0;
  // Zero unless a string may be a name, which is the first string after a brace or a comma. So each name costs a value, and is
  // read once.
  let stringEnd = 0;
  let mayBeName = false;
  for (let index = 0; index < json.length; index++) {
    const byte = json[index];
    if (byte === QUOTE) {
      inString = !inString;
      if (inString) {
        stringStart = index;
      } else {
        stringEnd = mayBeName ? index : 0;
        mayBeName = false;
      }
    } else if (inString) {
      index += byte === BACKSLASH ? 1 : 0;
    } else if (byte === COLON) {
      if (stringEnd > 0 && names?.isRepeated(depth, stringStart, stringEnd)) {
        const nameEnd = Math.min(stringEnd, stringStart + MAX_NAME_BYTES);
        return `has the field ${json.toString('utf8', stringStart + 1, nameEnd)} twice: send it once`;
      }
      stringEnd = 0;
    } else if (byte === COMMA || byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      values++;
      if (values > limits.values) {
        return `has more than ${limits.values} values`;
      }
      stringEnd = 0;
      mayBeName = byte !== OPEN_BRACKET;
      if (byte !== COMMA) {
        depth++;
        names?.open(depth);
        if (depth > limits.depth) {
          return `is nested more than ${limits.depth} levels deep`;
        }
      }
    } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
      depth--;
    }
  }
  return undefined;
}

/** The names in the objects that enclose a position in a JSON text. */
class Names {
  /** The names, indexed by depth. */
  private readonly ofObjects: (Set<string> | undefined)[] = [];

  constructor(private readonly json: Buffer) {}

  open(depth: number): void {
    this.ofObjects[depth] = undefined;
  }

  /** Whether a name, which is between two quotes, has already occurred in the object at a depth. */
  isRepeated(depth: number, start: number, end: number): boolean {
    const names = (this.ofObjects[depth] ??= new Set());
    const size = names.size;
    names.add(withoutEscapes(this.json.toString('utf8', start + 1, end)));
    return names.size === size;
  }
}

/** Resolves escapes. A name with an invalid escape is left unchanged, since parsing will refuse the text. */
function withoutEscapes(name: string): string {
  try {
    return name.includes('\\') ? (JSON.parse(`"${name}"`) as string) : name;
  } catch {
    return name;
  }
}
