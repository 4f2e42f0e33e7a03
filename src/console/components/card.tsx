import type { ComponentChildren } from 'preact';

interface CardProps {
  title?: string;
  id?: string;
  children: ComponentChildren;
}

export function Card({ title, id, children }: CardProps) {
  return (
    <section class="card" id={id}>
      {title && <h2>{title}</h2>}
      {children}
    </section>
  );
}

/** A secret that was made just now, and what to do with it. */
export function SecretCard({ title, secret, children }: CardProps & { secret: string }) {
  return (
    <Card title={title}>
      <p class="copy">{secret}</p>
      <p class="muted">{children}</p>
    </Card>
  );
}
