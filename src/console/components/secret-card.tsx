import type { ComponentChildren, JSX } from 'preact';

interface SecretCardProps {
  title: string;
  secret: string;
  children: ComponentChildren;
}

/** A secret that was made just now, and what to do with it. */
export function SecretCard({ title, secret, children }: SecretCardProps): JSX.Element {
  return (
    <section class="card">
      <h2>{title}</h2>
      <p class="copy">{secret}</p>
      <p class="muted">{children}</p>
    </section>
  );
}
