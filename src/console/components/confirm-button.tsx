import type { ComponentChildren } from 'preact';

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
