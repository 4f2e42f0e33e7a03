/**
 * Groups of domains whose mailboxes one provider operates, keyed by domain. A fault of the provider affects the whole group.
 */
const GROUPS: ReadonlyMap<string, string> = new Map(
  [
    ['gmail.com', 'googlemail.com'],
    ['yahoo.com', 'ymail.com', 'rocketmail.com', 'aol.com', 'aim.com'],
    ['outlook.com', 'hotmail.com', 'live.com', 'msn.com'],
    ['icloud.com', 'me.com', 'mac.com'],
  ].flatMap((domains) => domains.map((domain) => [domain, domains[0]!] as const)),
);

/** Yahoo, AOL and Microsoft have a domain for each country. */
const BY_COUNTRY = /^(yahoo|ymail|aol|outlook|hotmail|live)\.(?:co(?:m)?\.)?[a-z]{2}$/;

/**
 * The group of domains that fail together, named by its first domain: `googlemail.com` and `gmail.com` are in `gmail.com`. A
 * domain that belongs to no group is a group of its own.
 */
export function receivingGroup(domain: string): string {
  const international = BY_COUNTRY.exec(domain)?.[1];
  return GROUPS.get(international ? `${international}.com` : domain) ?? domain;
}

/** The domains of a group that have no country, its name first. */
export function domainsOfGroup(group: string): string[] {
  const domains = [...GROUPS].filter(([, name]) => name === group).map(([domain]) => domain);
  return domains.length > 0 ? domains : [group];
}
