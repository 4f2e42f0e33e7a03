import { includesRole, type Role } from '../people/roles.js';
import type { Visitor } from '../people/sessions.service.js';

interface Link {
  path: string;
  label: string;
}

interface Section extends Link {
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

export function Navigation({ visitor, current }: NavigationProps) {
  const links = SECTIONS.map((sections) =>
    sections.filter(({ role = 'viewer' }) => includesRole(visitor.role, role)),
  );
  return (
    <header class="bar">
      <p class="brand">
        <a href="/console">Suppression list</a>
        <span class="account">{visitor.accountName}</span>
      </p>
      <Menus label="Console" links={links} current={current} />
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

interface MenusProps {
  /** What the links lead to. */
  label: string;
  /** In groups. */
  links: Link[][];
  /** The path of the current section. */
  current: string;
}

/** The same links twice: beside the page on a wide screen, in a menu above it on a narrow one. */
export function Menus({ label, ...links }: MenusProps) {
  return (
    <>
      <details class="menu">
        <summary>Menu</summary>
        <nav aria-label="Menu">
          <Links {...links} />
        </nav>
      </details>
      <nav class="side" aria-label={label}>
        <Links {...links} />
      </nav>
    </>
  );
}

function Links({ links, current }: Omit<MenusProps, 'label'>) {
  return (
    <>
      {links.map((group) => (
        <ul key={group[0]!.path}>
          {group.map(({ path, label }) => (
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
