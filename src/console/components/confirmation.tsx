import type { ComponentChildren } from 'preact';
import { Card } from './content.js';
import { ConsolePage, type PageProps } from './console-page.js';
import { AccountForm, Hidden, type Fields } from './form.js';

interface ConfirmationPageProps extends PageProps {
  title: string;
  section: string;
  action: string;
  /** The text of the button. */
  submit: string;
  /** What the person has entered already. */
  hidden?: Fields;
  /** The page that the person comes from. */
  back: string;
  /** What the action does. */
  children: ComponentChildren;
}

/** Asks for confirmation of an action that cannot be undone or is often a mistake. */
export function ConfirmationPage(page: ConfirmationPageProps) {
  const { visitor, title, section, action, submit, hidden = {}, back, children } = page;
  return (
    <ConsolePage visitor={visitor} title={title} section={section}>
      <Card>
        {children}
        <AccountForm class="actions" action={action}>
          <Hidden values={hidden} />
          <button class="danger" type="submit">
            {submit}
          </button>
          <a href={back}>Cancel</a>
        </AccountForm>
      </Card>
    </ConsolePage>
  );
}
