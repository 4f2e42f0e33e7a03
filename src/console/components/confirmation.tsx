import type { ComponentChildren } from 'preact';
import { Card } from './card.js';
import { ConsolePage, type PageProps } from './console-page.js';
import { Hidden, type Fields } from './form.js';

interface ConfirmButtonProps {
  action: string;
  /** What is asked about, such as "Remove". */
  label: string;
  /** The text of the button that acts, such as "Remove ada@example.com". */
  confirm: string;
  tone?: 'danger' | 'plain';
  /** What acting does. */
  children: ComponentChildren;
}

/** A button that opens a question, whose own button acts. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { action, label, confirm, tone = 'danger', children } = props;
  return (
    <details class="act">
      <summary class={tone}>{label}…</summary>
      <form class={`ask ${tone}`} method="post" action={action}>
        <p>{children}</p>
        <button class={tone} type="submit">
          {confirm}
        </button>
      </form>
    </details>
  );
}

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
        <form class="actions" method="post" action={action}>
          <Hidden values={hidden} />
          <button class="danger" type="submit">
            {submit}
          </button>
          <a href={back}>Cancel</a>
        </form>
      </Card>
    </ConsolePage>
  );
}
