import { CAUSES, type Cause } from '../../ledger/cause.js';

export type Scope = Readonly<Record<string, string>>;
export type Credentials = Readonly<Record<string, string>>;

export interface ScopeField {
  name: string;
  meaning: string;
  pattern: RegExp;
  /** How the error of a wrong value continues after the name of the field. */
  problem: string;
  /** The value of a field that is left out; null if it may be missing; absent if it must be given. */
  default?: string | null;
}

export interface Connection {
  scope: Scope;
  credentials: Credentials;
}

export interface ProviderRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its query, percent-encoded. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: string;
}

/** One of the lists that a provider keeps. Their names are the provider's. */
export interface ListCapability {
  list: string;
  /** The import format that knows what its entries mean. */
  format: string;
  /** The field with the address, in the form of `foldName`. */
  address: string;
  /** What the provider calls the permission to read it. */
  permission: string;
  source: string;
}

type Addition =
  | {
      list: string;
      /** The cause that the provider shows for an entry that was added. */
      becomes: Cause;
      permission: string;
      source: string;
    }
  | { list: null; source: string };

/** On which list a provider can keep a cause. */
export type AdditionCapability = Addition & { cause: Cause };

/** The table of a provider that treats all causes alike. */
export function forEveryCause(addition: Addition): AdditionCapability[] {
  return CAUSES.map((cause) => ({ cause, ...addition }));
}

/** That entries of a list can be removed, and for which causes the provider refuses it. */
export interface RemovalCapability {
  list: string;
  permission: string;
  refuses: readonly Cause[];
  /** Whether a bounce that is lifted here is removed without a plan, so that no other cause can be removed with it. */
  hasBounces?: true;
  source: string;
}

export interface ReadPage {
  items: unknown[];
  /** Where the next page begins; null after the last one. */
  next: string | null;
  /** Whether the list may have more entries, which no request reads. */
  isCut?: boolean;
}

/** An entry to add or to remove. */
export interface ChangedEntry {
  list: string;
  /** As the provider spells it; in its normal form if the provider does not have it. */
  address: string;
  /** The cause here. */
  cause: Cause;
  /** When it was suppressed here. */
  since: Date;
}

/** What became of an entry. A provider that refused it would refuse it again. */
export type ChangeOutcome = 'done' | 'refused';

/** How a provider takes additions, or removals. */
export interface ListChanges {
  /** The shortest time between two requests, in milliseconds, and who says so. */
  pace: { ms: number; source: string };
  /** Built with `segmentOf` and `addressOf`, which refuse what is no address. */
  request(connection: Connection, entry: ChangedEntry, now: Date): ProviderRequest;
  /**
   * What became of the entry, if the body of a success says so. Without it, it is done.
   *
   * @returns null if the body is not what the provider documents
   */
  read?(body: unknown, entry: ChangedEntry): ChangeOutcome | null;
}

/**
 * A request for one entry, in the form that {@link ListCapability.format} knows. If the provider has no entry of the address, it
 * responds with 404.
 */
export interface FindEntry {
  /** `{list}` stands for the name of the list. */
  permission: string;
  request(connection: Connection, entry: ChangedEntry, now: Date): ProviderRequest;
  /** @returns null if the provider has no such entry; undefined if the body is not what the provider documents */
  read(body: unknown, entry: ChangedEntry): unknown;
  /** Whether the provider finds an address only in its own spelling. */
  isCaseExact?: true;
  /** Whether the provider refuses to remove this entry, whatever its cause. */
  isPermanent?(item: unknown): boolean;
}

/** A request for the causes that the provider's settings make effective. */
export interface FindEffect {
  permission: string;
  request(connection: Connection, now: Date): ProviderRequest;
  /** @returns null if the body is not what the provider documents */
  read(body: unknown): Cause[] | null;
}

export interface RequestedPage {
  /** From {@link ReadPage.next}; null for the first page. */
  position: string | null;
  /** The most entries that the page may have; as many as the provider allows if this is left out. */
  limit?: number;
}

/** The list of a provider, as pure functions and tables. */
export interface ListProvider {
  scope: readonly ScopeField[];
  credentials: readonly { name: string; meaning: string }[];
  lists: readonly ListCapability[];
  additions: readonly AdditionCapability[];
  /** Lists that are missing cannot be removed from. */
  removals: readonly RemovalCapability[];
  /** The shortest time between two requests, in milliseconds, and who says so. */
  pace: { ms: number; source: string };
  /** The scope's name at the provider; null if only the credentials identify it. */
  identityOf(scope: Scope): string | null;
  /** The part of the credentials that identifies the owner of the list. */
  ownerIn(credentials: Credentials): string;
  originOf(scope: Scope): string;
  request(connection: Connection, list: ListCapability, page: RequestedPage, now: Date): ProviderRequest;
  /** @returns null if the body is not what the provider documents */
  read(body: unknown, list: ListCapability, position: string | null, scope: Scope): ReadPage | null;
  /** The array of items in the only page, if that has no limit. Then {@link read} is not called. */
  streams?: string;
  /** Absent if nothing is added; then no line of {@link additions} has a list. */
  add?: ListChanges;
  /** Absent if nothing is removed; then {@link removals} is empty. */
  remove?: ListChanges;
  /** Absent if the provider finds no entry by its address; then a machine neither adds nor removes any. */
  find?: FindEntry;
  effect?: FindEffect;
}

/** The value of a property that must be an array. */
export function arrayIn(body: unknown, name: string): unknown[] | null {
  const value = (body as Record<string, unknown> | null)?.[name];
  return Array.isArray(value) ? value : null;
}
