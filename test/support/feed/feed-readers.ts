import { setTimeout as delay } from 'node:timers/promises';
import { tryTo, type Instance } from './feed-writers.js';

export interface ReadChange {
  id: string;
  type: string;
  email: string;
  revision: number;
  suppression: { id: string } | null;
  causes: string[];
  topic: object | null;
}

interface ChangesPage {
  has_more: boolean;
  cursor: string;
  data: ReadChange[];
}

/** A record as exports and changes show it, for comparison. */
export type Copy = Map<string, string>;

export interface Exported {
  copy: Copy;
  cursor: string;
}

/**
 * Reads the feed with pauses and pages of random length, of any instance, again wherever a page did not arrive.
 *
 * @param isOver - whether an empty page is the last one
 */
export async function follow(
  instances: Instance[],
  cursor: string | undefined,
  isOver: () => boolean,
): Promise<ReadChange[]> {
  const changes: ReadChange[] = [];
  let after = cursor;
  for (;;) {
    const mayEnd = isOver();
    const instance = instances[Math.floor(Math.random() * instances.length)]!;
    const limit = 1 + Math.floor(Math.random() ** 2 * 1_000);
    const query = new URLSearchParams({
      limit: `${limit}`,
      wait: mayEnd ? '0' : '1',
      ...(after && { after }),
    });
    const page = await tryTo(instance, `/changes?${query}`)
      .then((response) => response?.json() as Promise<ChangesPage> | undefined)
      .catch(() => undefined);
    changes.push(...(page?.data ?? []));
    after = page?.cursor ?? after;
    if (mayEnd && page && !page.has_more) {
      return changes;
    }
    await delay(mayEnd ? 0 : Math.random() * 100);
  }
}

/** An export with its cursor; undefined if it was cut off. */
export async function exportList(instance: Instance): Promise<Exported | undefined> {
  const response = await tryTo(instance, '/exports?format=ndjson');
  const text = await response?.text().catch(() => undefined);
  if (text === undefined) {
    return undefined;
  }
  const copy: Copy = new Map();
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const { cause: _cause, causes, expires_at: _expiresAt, note: _note, ...suppression } = JSON.parse(line);
    copy.set(suppression.email, JSON.stringify({ suppression, causes }));
  }
  return { copy, cursor: response!.headers.get('changes-cursor')! };
}

/** Applies changes to a copy of the list. */
export function apply(copy: Copy, changes: ReadChange[]): Copy {
  for (const { email, suppression, causes } of changes) {
    if (suppression) {
      copy.set(email, JSON.stringify({ suppression, causes }));
    } else {
      copy.delete(email);
    }
  }
  return copy;
}
