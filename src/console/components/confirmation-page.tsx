import type { ComponentChildren, JSX } from 'preact';
import type { Fields } from '../access/fields.js';
import { ConsolePage, type PageProps } from './console-page.js';
import { Hidden } from './form.js';

interface ConfirmationPageProps extends PageProps {
  title: string;
  section: string;
  /** Where the form goes, the text of its button, and what the person has entered already. */
  action: { path: string; label: string; fields?: Fields };
  /** The page that the person comes from. */
  back: string;
  /** What the action does. */
  children: ComponentChildren;
}

/** Asks for confirmation of an action that cannot be undone or is often a mistake. */
export function ConfirmationPage({ action, back, children, ...props }: ConfirmationPageProps): JSX.Element {
  return (
    <ConsolePage {...props}>
      <section class="card">
        {children}
        <form class="actions" method="post" action={action.path}>
          <Hidden values={action.fields ?? {}} />
          <button class="danger" type="submit">
            {action.label}
          </button>
          <a href={back}>Cancel</a>
        </form>
      </section>
    </ConsolePage>
  );
}
