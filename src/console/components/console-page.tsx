import type { ComponentChildren } from 'preact';
import { HtmlDocument } from '../../http/responses/html-document.js';
import type { Visitor } from '../people/sessions.service.js';
import type { EnteredForm } from './fields.js';
import { EnteredFormContext } from './form.js';
import { ICON_URL } from './icon.js';
import { Navigation } from './navigation.js';
import { STYLESHEET_URL } from '../styles/stylesheet.js';

/** A person who is signed in, and what the page tells the person, in sentences. */
export interface PageVisitor extends Visitor {
  /** What the person has just done. */
  done?: string | undefined;
  /** Why the form was refused. */
  problem?: string;
  /** The details of the problem. */
  problems?: readonly string[];
  /** The form that comes again. */
  entered?: EnteredForm | undefined;
}

export interface PageProps {
  visitor: PageVisitor;
}

interface ConsolePageProps extends PageProps {
  title: string;
  /** The path of the section in the navigation. */
  section: string;
  /** The URL of a script. */
  script?: string | undefined;
  /** Links and buttons beside the title. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** A page for a person who is signed in. */
export function ConsolePage({ visitor, title, section, script, actions, children }: ConsolePageProps) {
  return (
    <Document title={title} script={script}>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <div class="frame">
        <Navigation visitor={visitor} current={section} />
        <main id="content" tabIndex={-1}>
          <div class="head">
            <h1>{title}</h1>
            {actions && <div class="actions">{actions}</div>}
          </div>
          <Notices visitor={visitor} />
          {visitor.openIncidents > 0 && section !== '/console/incidents' && (
            <div class="notice bad">
              <p>
                Many addresses bounce at once, perhaps by the fault of a provider:{' '}
                <a href="/console/incidents">see the incident</a>.
              </p>
            </div>
          )}
          <EnteredFormContext.Provider value={visitor.entered}>{children}</EnteredFormContext.Provider>
        </main>
      </div>
    </Document>
  );
}

/** A page for somebody who is not signed in. */
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

function Document({ title, ...document }: Pick<ConsolePageProps, 'title' | 'script' | 'children'>) {
  return (
    <HtmlDocument
      lang="en"
      title={`${title} – Suppression list`}
      stylesheet={STYLESHEET_URL}
      icon={ICON_URL}
      {...document}
    />
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
