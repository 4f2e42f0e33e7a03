export function cut(value: string, width: number): string {
  return value.length <= width ? value : `${value.slice(0, width - 1)}…`;
}

/** `2026-01-15 09:30` in UTC. */
export function shortTime(timestamp: string): string {
  return timestamp.slice(0, 16).replace('T', ' ');
}

export function withCommas(count: number): string {
  return count.toLocaleString('en-US');
}
