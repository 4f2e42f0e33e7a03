import { toUrl } from '../process/to-url.js';

/** Scheme and credentials, hosts, and the rest of a connection string. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/;
const SESSION_ATTRIBUTES = /[?&]target_session_attrs=([^&]*)/;

/** The parameter `target_session_attrs` of libpq, which pg does not know. */
export function sessionAttributesOf(url: string): string | undefined {
  return SESSION_ATTRIBUTES.exec(url)?.[1];
}

/**
 * Splits a connection string such as `postgresql://user@a:5432,b:5432/list?target_session_attrs=read-write`
 * into one for each host.
 */
export function urlsOfHosts(url: string): string[] {
  const [, start, hosts, end] = PARTS.exec(url) ?? ['', '', '', ''];
  const [path, query = ''] = end!.split('?') as [string, string?];
  const parameters = query
    .split('&')
    .filter((parameter) => parameter !== '' && !parameter.startsWith('target_session_attrs='));
  const rest = parameters.length > 0 ? `${path}?${parameters.join('&')}` : path;
  return hosts!.split(',').map((host) => `${start}${host}${rest}`);
}

/**
 * Replaces `sslrootcert=system` (libpq 16), which pg takes for a file, by `sslmode=verify-full`, the only mode that libpq accepts
 * beside it. Without a file, pg trusts the authorities of Node.js.
 */
export function withDefaultAuthorities(url: string): string {
  const isSystem = /[?&]sslrootcert=system(?=&|$)/.test(url);
  return isSystem
    ? url
        .replaceAll(/(?<=[?&])sslmode=[^&]*(?:&|$)/g, '')
        .replace('sslrootcert=system', 'sslmode=verify-full')
    : url;
}

/** A single host, which may resolve to several replicas. `target_session_attrs` makes no sense for them. */
export function isReplicaUrl(value: string): boolean {
  return isPostgresUrl(value) && sessionAttributesOf(value) === undefined && urlsOfHosts(value).length === 1;
}

/**
 * The host may be missing, as in `postgresql://user:password@/database?host=/run/postgresql`. The service always writes, so
 * it refuses `target_session_attrs` of a standby.
 */
export function isPostgresUrl(value: string): boolean {
  const attributes = sessionAttributesOf(value);
  return (
    /^postgres(ql)?:\/\/./.test(value) &&
    (attributes === undefined || ['read-write', 'primary'].includes(attributes)) &&
    urlsOfHosts(value).every((url) => toUrl(url.replace('@/', '@localhost/')))
  );
}
