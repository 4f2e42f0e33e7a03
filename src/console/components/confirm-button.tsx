import type { ComponentChildren, JSX } from 'preact';

interface ConfirmButtonProps {
  action: string;
  /** What is asked about, such as "Remove". */
  label: string;
  /** The text of the button that acts, such as "Remove ada@example.com". */
  confirm: string;
  /** What acting does. */
  children: ComponentChildren;
}

/** A button that opens a question, whose own button acts. */
export function ConfirmButton({ action, label, confirm, children }: ConfirmButtonProps): JSX.Element {
  return (
    <details class="act">
      <summary class="danger">{label} …</summary>
      <form class="ask" method="post" action={action}>
        <p>{children}</p>
        <button class="danger" type="submit">
          {confirm}
        </button>
      </form>
    </details>
  );
}
