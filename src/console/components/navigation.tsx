import { includesRole, type Role } from '../people/roles.js';
import type { Visitor } from '../people/sessions.service.js';

interface Section {
  path: string;
  label: string;
  /** Who may open it; everybody unless given. */
  role?: Role;
}

const SECTIONS: Section[][] = [
  [
    { path: '/console', label: 'Search' },
    { path: '/console/list', label: 'List' },
    { path: '/console/overview', label: 'Overview' },
    { path: '/console/incidents', label: 'Incidents' },
  ],
  [
    { path: '/console/imports', label: 'Imports' },
    { path: '/console/lifts', label: 'Undo' },
    { path: '/console/topics', label: 'Topics' },
    { path: '/console/rules', label: 'Rules' },
    { path: '/console/sources', label: 'Sources' },
    { path: '/console/provider-lists', label: 'Provider lists' },
    { path: '/console/webhooks', label: 'Webhooks' },
  ],
  [
    { path: '/console/api-keys', label: 'API keys' },
    { path: '/console/people', label: 'People' },
    { path: '/console/settings', label: 'Settings' },
    { path: '/console/audit-log', label: 'Audit log', role: 'admin' },
  ],
  [{ path: '/docs/guides/README.md', label: 'Guides' }],
];

interface NavigationProps {
  visitor: Visitor;
  /** The path of the current section. */
  current: string;
}

/** The same links twice: beside the page on a wide screen, in a menu above it on a narrow one. */
export function Navigation({ visitor, current }: NavigationProps) {
  return (
    <header class="bar">
      <p class="brand">
        <a href="/console">Suppression list</a>
        <span class="account">{visitor.accountName}</span>
      </p>
      <details class="menu">
        <summary>Menu</summary>
        <nav aria-label="Menu">
          <Links visitor={visitor} current={current} />
        </nav>
      </details>
      <nav class="side" aria-label="Console">
        <Links visitor={visitor} current={current} />
      </nav>
      <form class="me" method="post" action="/console/sign-out">
        <span>
          {visitor.email} <span class="muted">({visitor.role})</span>
        </span>
        <button class="link" type="submit">
          Sign out
        </button>
      </form>
    </header>
  );
}

function Links({ visitor, current }: NavigationProps) {
  return (
    <>
      {SECTIONS.map((links) => (
        <ul key={links[0]!.path}>
          {links
            .filter(({ role = 'viewer' }) => includesRole(visitor.role, role))
            .map(({ path, label }) => (
              <li key={path}>
                <a href={path} aria-current={path === current ? 'page' : undefined}>
                  {label}
                </a>
              </li>
            ))}
        </ul>
      ))}
    </>
  );
}
