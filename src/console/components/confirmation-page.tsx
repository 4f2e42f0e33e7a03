import type { ComponentChildren, JSX } from 'preact';
import { ConsolePage, type PageProps } from './console-page.js';

interface ConfirmationPageProps extends PageProps {
  title: string;
  section: string;
  /** Where the form goes, and the text of its button. */
  action: { path: string; label: string };
  /** The page that the person comes from. */
  back: string;
  /** What the action does. */
  children: ComponentChildren;
}

/** Asks a person before something is done that nobody can undo. */
export function ConfirmationPage({ action, back, children, ...props }: ConfirmationPageProps): JSX.Element {
  return (
    <ConsolePage {...props}>
      <section class="card">
        {children}
        <form class="actions" method="post" action={action.path}>
          <button class="danger" type="submit">
            {action.label}
          </button>
          <a href={back}>Cancel</a>
        </form>
      </section>
    </ConsolePage>
  );
}
