const [QUOTE, BACKSLASH, COMMA, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] =
  Buffer.from('"\\,[]{}');

/** Bounds of untrusted JSON. Code that walks parsed JSON is recursive, and visits every value. */
export interface JsonLimits {
  depth: number;
  values: number;
}

/**
 * Checks JSON against limits before it is parsed, in one pass over its bytes.
 *
 * @param json - UTF-8; need not be valid JSON
 * @returns the problem as the end of a sentence, or undefined if the JSON is within the limits
 */
export function exceededJsonLimit(json: Uint8Array, limits: JsonLimits): string | undefined {
  let depth = 0;
  let values = 1;
  let inString = false;
  for (let index = 0; index < json.length; index++) {
    const byte = json[index];
    if (byte === QUOTE) {
      inString = !inString;
    } else if (inString) {
      index += byte === BACKSLASH ? 1 : 0;
    } else if (byte === COMMA) {
      values++;
    } else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      values++;
      depth++;
      if (depth > limits.depth) {
        return `is nested more than ${limits.depth} levels deep`;
      }
    } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
      depth--;
    }
  }
  return values > limits.values ? `has more than ${limits.values} values` : undefined;
}
