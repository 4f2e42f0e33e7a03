import type { JSX } from 'preact';

interface PostButtonProps {
  action: string;
  label: string;
  tone?: 'danger' | 'link';
  /** What a screen reader says in place of the label, where the label alone would be ambiguous. */
  name?: string;
}

/** A form that is one button. */
export function PostButton({ action, label, tone, name }: PostButtonProps): JSX.Element {
  return (
    <form method="post" action={action}>
      <button class={tone} type="submit" aria-label={name}>
        {label}
      </button>
    </form>
  );
}
