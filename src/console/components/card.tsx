import { Fragment, isValidElement, type ComponentChildren } from 'preact';

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

interface FactsProps {
  /**
   * By name. An array has several facts of the same name. A fact that is null, undefined, or false is left out. A `dd` has a
   * class of its own.
   */
  facts: Readonly<Record<string, ComponentChildren>>;
  /** Whether the facts are numbers. */
  areNumbers?: boolean;
}

export function Facts({ facts, areNumbers = false }: FactsProps) {
  const named = Object.entries(facts).flatMap(([name, fact]) =>
    [fact].flat().map((each) => ({ name, fact: each })),
  );
  return (
    <dl class={areNumbers ? 'facts number' : 'facts'}>
      {named
        .filter(({ fact }) => fact !== null && fact !== undefined && fact !== false)
        .map(({ name, fact }) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            {isValidElement(fact) && fact.type === 'dd' ? fact : <dd>{fact}</dd>}
          </Fragment>
        ))}
    </dl>
  );
}
