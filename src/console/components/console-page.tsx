import type { ComponentChildren, JSX } from 'preact';
import { HtmlDocument } from '../../http/responses/html-document.js';
import type { Visitor } from '../people/sessions.service.js';
import { ICON_URL } from './icon.js';
import { Navigation } from './navigation.js';
import { STYLESHEET_URL } from './stylesheet.js';

export interface PageProps {
  visitor: Visitor;
  /** What was just done, as a sentence, if the page is the response to the form. */
  done?: string | undefined;
  /** Why the form was refused, as a sentence. */
  problem?: string | undefined;
  /** The details of the problem, a sentence each. */
  problems?: readonly string[];
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
export function ConsolePage(props: ConsolePageProps): JSX.Element {
  const { visitor, title, section, script, actions, problem, problems, children } = props;
  const { done = visitor.done } = props;
  return (
    <HtmlDocument
      lang="en"
      title={`${title} – Suppression list`}
      stylesheet={STYLESHEET_URL}
      icon={ICON_URL}
      script={script}
    >
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
          {visitor.openIncidents > 0 && section !== '/console/incidents' && (
            <div class="notice bad">
              <p>
                Many addresses bounce at once, perhaps by the fault of a provider:{' '}
                <a href="/console/incidents">see the incident</a>.
              </p>
            </div>
          )}
          {children}
        </main>
      </div>
    </HtmlDocument>
  );
}

/** A page for somebody who is not signed in. */
export function OutsidePage({
  title,
  children,
}: {
  title: string;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <HtmlDocument lang="en" title={`${title} – Suppression list`} stylesheet={STYLESHEET_URL} icon={ICON_URL}>
      <main class="outside">
        <p class="brand">Suppression list</p>
        <section class="card">
          <h1>{title}</h1>
          {children}
        </section>
      </main>
    </HtmlDocument>
  );
}
