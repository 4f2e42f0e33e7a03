import type { JSX } from 'preact';

interface PostButtonProps {
  action: string;
  label: string;
}

/** A form that is one button. */
export function PostButton({ action, label }: PostButtonProps): JSX.Element {
  return (
    <form method="post" action={action}>
      <button type="submit">{label}</button>
    </form>
  );
}
