import { tablesChangedBy, tablesIn } from './shard-text.js';
import { TABLES } from './tables.js';

/** Where a statement runs. */
export type Route =
  /** On the coordinator, in a transaction about the account whose id is the parameter, if there is one. */
  | { to: 'coordinator'; parameter: number | undefined }
  /** On the node of the account whose id is the parameter. */
  | { to: 'account'; parameter: number; writes: boolean }
  /** In each bucket of the accounts in the parameter, which is an array. */
  | { to: 'accounts'; parameter: number; isBackground: true }
  /** In every bucket. A prepared statement is one of a background task, which skips buckets where it fails. */
  | { to: 'all'; isBackground: boolean }
  /** A statement that begins or ends a transaction, or changes a setting. */
  | { to: 'session' };

/** Statements about the accounts in their first parameter, which is an array. */
const ABOUT_ACCOUNTS = new Set(['read-feed-heads', 'read-feed-backlogs']);

const SESSION = /^\s*(?:START|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SET)\b/i;
/** Functions that read and write distributed tables, and locks of addresses. */
const ACCOUNT_FUNCTION =
  /\b(?:number_pending_changes|erase_from_ledger)\(\$(\d+)|hashtext\(\$2::text \|\| ' ' \|\| \$(\d+)::integer\)/;
const OF_COORDINATOR =
  /\baccount_id"?\s*=\s*\$(\d+)|\$(\d+)::integer AS account_id|\baccounts\b[^]*?\bid"?\s*=\s*\$(\d+)/;
const ACCOUNT_COMPARED = /\baccount_id"?\s*=\s*\$(\d+)/;
const INSERTED =
  /\bINTO\s+"?\w+"?(?:\s+AS\s+"?\w+"?)?\s*\(([^)]*)\)\s*(?:VALUES\s*\(|SELECT\s+(?:DISTINCT\s+ON\s*\([^)]*\))?)([^)]*)/i;
const WRITES =
  /\b(?:INSERT|UPDATE|DELETE)\b|\bFOR\s+(?:NO\s+KEY\s+)?(?:UPDATE|SHARE|KEY\s+SHARE)\b|[a-z]_changes\(\$|erase_from_ledger|advisory/i;

const routes = new Map<string, Route>();

/** @throws {Error} if the statement concerns distributed tables, but no account */
export function routeOf(text: string, name: string | undefined): Route {
  if (SESSION.test(text)) {
    return { to: 'session' };
  }
  let route = routes.get(text);
  if (!route) {
    route = findRoute(text, name && baseNameOf(name));
    routes.set(text, route);
  }
  return route;
}

/** Finds the account in the conditions of a statement, wherever it runs. Returns undefined if there is none. */
export function comparedAccount(text: string, values: readonly unknown[]): number | undefined {
  const parameter = comparedParameter(text);
  return parameter === undefined ? undefined : Number(values[parameter - 1]);
}

function comparedParameter(text: string): number | undefined {
  const [, ...parameters] = OF_COORDINATOR.exec(text) ?? [];
  const parameter = parameters.find(Boolean);
  return parameter === undefined ? undefined : Number(parameter);
}

/** The name of a prepared statement without the generation of its plans. */
export function baseNameOf(name: string): string {
  return name.split('#')[0]!;
}

function findRoute(text: string, name: string | undefined): Route {
  const called = ACCOUNT_FUNCTION.exec(text);
  const tables = tablesIn(text);
  if (!called && !tables.some((table) => TABLES[table] === 'distributed')) {
    return { to: 'coordinator', parameter: comparedParameter(text) };
  }
  const local = tables.filter((table) => TABLES[table] === 'local');
  if (local.length > 0) {
    throw new Error(
      `A statement reads ${local.join(', ')} of the coordinator and tables of the accounts: ${name ?? text}`,
    );
  }
  const changed = tablesChangedBy(text).filter((table) => TABLES[table] === 'copied');
  if (changed.length > 0) {
    throw new Error(
      `A statement changes the copies of ${changed.join(', ')} and tables of the accounts: ${name ?? text}`,
    );
  }
  if (name !== undefined && ABOUT_ACCOUNTS.has(name)) {
    return { to: 'accounts', parameter: 1, isBackground: true };
  }
  const parameter = called?.[1] ?? called?.[2] ?? ACCOUNT_COMPARED.exec(text)?.[1] ?? insertedAccount(text);
  if (parameter !== undefined) {
    return { to: 'account', parameter: Number(parameter), writes: WRITES.test(text) };
  }
  if (name !== undefined) {
    return { to: 'all', isBackground: true };
  }
  if (WRITES.test(text) || /\b(?:LIMIT|GROUP BY|count\()/i.test(text)) {
    throw new Error(`A statement about all accounts has no name: ${text}`);
  }
  return { to: 'all', isBackground: false };
}

function insertedAccount(text: string): string | undefined {
  const [, columns, values] = INSERTED.exec(text) ?? [];
  const index = columns?.split(',').findIndex((column) => /^\s*"?account_id"?\s*$/.test(column)) ?? -1;
  return /^\s*\$(\d+)/.exec(values?.split(',')[index] ?? '')?.[1];
}
