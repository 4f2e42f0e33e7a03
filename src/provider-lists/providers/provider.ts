import type { Cause } from '../../ledger/cause.js';

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

/** A GET request. Nothing else is ever sent to a provider. */
export interface ProviderRequest {
  /** With its query, percent-encoded. */
  path: string;
  headers: Readonly<Record<string, string>>;
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

/** On which list a provider could keep a cause. */
export interface AdditionCapability {
  cause: Cause;
  /** Null if it has no list for the cause. */
  list: string | null;
  source: string;
}

export interface ReadPage {
  items: unknown[];
  /** Where the next page begins; null after the last one. */
  next: string | null;
}

/** The list of a provider, as pure functions and tables. */
export interface ListProvider {
  scope: readonly ScopeField[];
  credentials: readonly { name: string; meaning: string }[];
  lists: readonly ListCapability[];
  additions: readonly AdditionCapability[];
  /** The shortest time between two requests, in milliseconds, and who says so. */
  pace: { ms: number; source: string };
  /** The scope's name at the provider; null if only the credentials identify it. */
  identityOf(scope: Scope): string | null;
  /** The part of the credentials that identifies the owner of the list. */
  ownerIn(credentials: Credentials): string;
  originOf(scope: Scope): string;
  /**
   * @param position - from {@link ReadPage.next}; null for the first page
   * @param limit - the most entries that the page may have; as many as the provider allows if this is left out
   */
  request(
    connection: Connection,
    list: ListCapability,
    position: string | null,
    now: Date,
    limit?: number,
  ): ProviderRequest;
  /** @returns null if the body is not what the provider documents */
  read(body: unknown, list: ListCapability, position: string | null): ReadPage | null;
  /** The array of items in the only page, if that has no limit. Then {@link read} is not called. */
  streams?: string;
}

/** The value of a property that must be an array. */
export function arrayIn(body: unknown, name: string): unknown[] | null {
  const value = (body as Record<string, unknown> | null)?.[name];
  return Array.isArray(value) ? value : null;
}
