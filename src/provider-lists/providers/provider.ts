import { valueAt } from '../../inbound/parsing/json.js';
import { CAUSES, type Cause } from '../../ledger/cause.js';

export type Scope = Readonly<Record<string, string>>;
export type Credentials = Readonly<Record<string, string>>;

export interface ScopeField {
  name: string;
  meaning: string;
  pattern: RegExp;
  /** The error for an invalid value, as it continues after the name of the field. */
  problem: string;
  /** The default value; null if the field is optional; absent if it is required. */
  default?: string | null;
}

/** The scope of a provider that keeps the data of an account in the United States or in the European Union. */
export const US_OR_EU: ScopeField = {
  name: 'region',
  meaning: '`us`, the default, or `eu`.',
  pattern: /^(?:us|eu)$/,
  problem: 'must be us or eu',
  default: 'us',
};

export interface Connection {
  scope: Scope;
  credentials: Credentials;
}

export interface ProviderRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path with its query, percent-encoded. */
  path: string;
  /** Sent as JSON. */
  body?: string;
}

/** A list that a provider keeps, under the provider's name for it. */
export interface ListCapability {
  list: string;
  /** The import format that interprets its entries. */
  format: string;
  /** The field with the address, in the form of `foldName`. */
  address: string;
  /** The provider's name for the permission to read the list. */
  permission: string;
  source: string;
}

type Addition =
  | {
      list: string;
      /** The cause that the provider shows for an added entry. */
      becomes: Cause;
      permission: string;
      source: string;
    }
  | { list: null; source: string };

/** The list on which a provider can keep a cause, if there is one. */
export type AdditionCapability = Addition & { cause: Cause };

/** The table for a provider that treats all causes in the same way. */
export function forEveryCause(addition: Addition): AdditionCapability[] {
  return CAUSES.map((cause) => ({ cause, ...addition }));
}

/** A list whose entries can be removed, with the causes for which the provider refuses this. */
export interface RemovalCapability {
  list: string;
  permission: string;
  refuses?: readonly Cause[];
  /**
   * Whether the list may have bounces. A bounce that is lifted here is removed without a plan only from such lists, so that no
   * other cause is removed with it.
   */
  hasBounces?: boolean;
  source: string;
}

export interface ReadPage {
  items: unknown[];
  /** Where the next page begins; null after the last one. */
  next: string | null;
  /** Whether the list may have more entries that no request returns. */
  isCut?: boolean;
}

/** An entry to add or to remove. */
export interface ChangedEntry {
  list: string;
  /** The address in the provider's spelling; in its normal form if the provider does not have it. */
  address: string;
  /** The cause here. */
  cause: Cause;
  /** When the address was suppressed here. */
  since: Date;
}

/** The result of a change. A provider that refused it would refuse it again. */
export type ChangeOutcome = 'done' | 'refused';

/** How a provider accepts additions or removals. */
export interface ListChanges {
  /** The shortest time between two requests, in milliseconds, and who says so. */
  pace: { ms: number; source: string };
  /** Builds the request with `segmentOf` and `addressOf`, which refuse anything that is not an address. */
  request(entry: ChangedEntry, connection: Connection): ProviderRequest;
  /**
   * Reads the outcome for the entry, if the body of a successful response has it. By default, the change is done.
   *
   * @returns null if the body is not what the provider documents
   */
  read?(body: unknown, entry: ChangedEntry): ChangeOutcome | null;
}

/**
 * A request for one entry, whose response {@link ListCapability.format} can read. The provider responds 404 if it has no entry
 * for the address.
 */
export interface FindEntry {
  /** `{list}` stands for the name of the list. */
  permission: string;
  request(entry: ChangedEntry, connection: Connection): ProviderRequest;
  /** @returns null if the provider has no such entry; undefined if the body is not what the provider documents */
  read(body: unknown, entry: ChangedEntry): unknown;
  /** Whether the provider finds an address only in its own spelling. */
  isCaseExact?: true;
  /** Whether the provider refuses to remove this entry, whatever its cause. */
  isPermanent?(item: unknown): boolean;
}

/** A request for the causes that have an effect under the settings at the provider. */
export interface FindEffect {
  permission: string;
  request: ProviderRequest;
  /** @returns null if the body is not what the provider documents */
  read(body: unknown): Cause[] | null;
}

export interface RequestedPage {
  /** The value of {@link ReadPage.next}; null for the first page. */
  position: string | null;
  /** The most entries on the page; by default, as many as the provider allows. */
  limit?: number;
}

/** Describes a provider's lists with pure functions and tables. */
export interface ListProvider {
  scope: readonly ScopeField[];
  credentials: readonly { name: string; meaning: string }[];
  lists: readonly ListCapability[];
  additions: readonly AdditionCapability[];
  /** Entries cannot be removed from lists that are missing here. */
  removals: readonly RemovalCapability[];
  /** The shortest time between two requests, in milliseconds, and who says so. */
  pace: { ms: number; source: string };
  /** The provider's name for the scope. Absent or null if only the credentials identify it. */
  identityOf?(scope: Scope): string | null;
  /** The name of the credential that identifies the owner of the list. */
  owner: string;
  originOf(scope: Scope): string;
  /** The headers with the credentials, and the scope if it is in a header. Absent if the credentials are in the body. */
  headersOf?(connection: Connection, request: ProviderRequest, now: Date): Record<string, string>;
  /** How the provider responds to invalid credentials, if its status is neither 401 nor 403. */
  refusal?: { status: number; body: RegExp };
  request(page: RequestedPage, list: ListCapability, connection: Connection): ProviderRequest;
  /** @returns null if the body is not what the provider documents */
  read(body: unknown, list: ListCapability, position: string | null, scope: Scope): ReadPage | null;
  /** The name of the array of items, if the whole list is one response without a limit. Then {@link read} is not called. */
  streams?: string;
  /** Absent if the provider accepts no additions; then no line of {@link additions} has a list. */
  add?: ListChanges;
  /** Absent if the provider accepts no removals; then {@link removals} is empty. */
  remove?: ListChanges;
  /**
   * Absent if the provider cannot look up an entry by its address. Then entries are neither added nor removed automatically.
   */
  find?: FindEntry;
  effect?(scope: Scope): FindEffect;
}

/**
 * A page of a list that is read by offset. Only an empty page ends the list, because a provider may limit pages to fewer entries
 * than it was asked for.
 */
export function pageAt(position: string | null, items: unknown[]): ReadPage {
  const next = String(Number(position ?? 0) + items.length);
  return { items, next: items.length > 0 ? next : null };
}

/** The value of a property that must be an array. */
export function arrayIn(body: unknown, name: string): unknown[] | null {
  const value = valueAt(body, name);
  return Array.isArray(value) ? value : null;
}
