import type { ComponentChildren } from 'preact';
import { HtmlDocument } from '../../http/responses/html-response.js';
import { includesRole, type Role } from '../people/roles.js';
import type { Visitor } from '../people/sessions.service.js';
import { STYLESHEET_URL } from '../styles/stylesheet.js';
import { ICON_URL, SCRIPT_URL } from './assets.js';
import { Notice } from './content.js';
import { AccountContext, EnteredFormContext, type EnteredForm } from './form.js';

/** A person who is signed in, and the sentences that the page tells the person. */
export interface PageVisitor extends Visitor {
  /** What the person has just done. */
  done?: string | undefined;
  /** Why the form was refused. */
  problem?: string;
  /** The details of the problem. */
  problems?: readonly string[];
  /** The form that is shown again. */
  entered?: EnteredForm | undefined;
}

export interface PageProps {
  visitor: PageVisitor;
}

interface ConsolePageProps extends PageProps {
  title: string;
  /** The title of the tab, unless it is the title of the page. */
  tabTitle?: string | undefined;
  /** The path of the section in the navigation. */
  section: string;
  /** Whether something that it shows is under way: then the script keeps it up to date. */
  isRunning?: boolean;
  /** Links and buttons beside the title. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** A page for a person who is signed in. */
export function ConsolePage(page: ConsolePageProps) {
  const { visitor, title, tabTitle = title, section, isRunning, actions, children } = page;
  return (
    <Document title={tabTitle} isRunning={isRunning}>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <div class="frame">
        <Navigation visitor={visitor} current={section} />
        <AccountContext.Provider value={visitor.accountName}>
          <main id="content" tabIndex={-1}>
            <div class="head">
              <h1>{title}</h1>
              {actions && <div class="actions">{actions}</div>}
            </div>
            <Notices visitor={visitor} />
            {visitor.openIncidents > 0 && section !== '/console/incidents' && (
              <Notice tone="bad">
                Many addresses are bouncing at once, possibly because of a fault at a provider:{' '}
                <a href="/console/incidents">see the incident</a>.
              </Notice>
            )}
            <EnteredFormContext.Provider value={visitor.entered}>{children}</EnteredFormContext.Provider>
          </main>
        </AccountContext.Provider>
      </div>
    </Document>
  );
}

/** A page for a person who is not signed in. */
export function OutsidePage({ title, children }: Pick<ConsolePageProps, 'title' | 'children'>) {
  return (
    <Document title={title}>
      <main class="outside">
        <p class="brand">Suppression list</p>
        <section class="card">
          <h1>{title}</h1>
          {children}
        </section>
      </main>
    </Document>
  );
}

function Document({
  title,
  isRunning,
  children,
}: Pick<ConsolePageProps, 'title' | 'isRunning' | 'children'>) {
  return (
    <HtmlDocument
      lang="en"
      title={`${title} – Suppression list`}
      stylesheet={STYLESHEET_URL}
      icon={ICON_URL}
      script={SCRIPT_URL}
      isRunning={isRunning}
    >
      {children}
    </HtmlDocument>
  );
}

function Notices({ visitor: { done, problem, problems } }: PageProps) {
  return (
    <>
      {problem && (
        <div class="notice bad" role="alert" tabIndex={-1} autofocus>
          <p>{problem}</p>
          {problems && (
            <ul>
              {problems.map((detail) => (
                <li key={detail}>{detail}</li>
              ))}
            </ul>
          )}
        </div>
      )}
      {done && (
        <div class="notice good" role="status" tabIndex={-1} autofocus={!problem}>
          <p>{done}</p>
        </div>
      )}
    </>
  );
}

interface Link {
  path: string;
  label: string;
}

interface Section extends Link {
  /** The role that it requires; without one, everybody may open it. */
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

function Navigation({ visitor, current }: NavigationProps) {
  const links = SECTIONS.map((group) =>
    group.filter(({ role = 'viewer' }) => includesRole(visitor.role, role)),
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
