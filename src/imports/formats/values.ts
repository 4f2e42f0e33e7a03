const TRUE = new Set(['true', '1', 'yes', 'y']);

/** Files write true as `true`, `TRUE`, `1` or `Yes`. */
export function isTrue(value: string): boolean {
  return TRUE.has(value.toLowerCase());
}

/** A property of an object that a row has as JSON. A text that is no JSON is the value itself. */
export function property(value: string, name: string): string {
  if (!value.startsWith('{')) {
    return value;
  }
  try {
    const object = JSON.parse(value) as Record<string, unknown>;
    return typeof object[name] === 'string' ? object[name] : '';
  } catch {
    return value;
  }
}
