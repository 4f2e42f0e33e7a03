import { type ComponentChildren, Fragment, isValidElement } from 'preact';
import type { Topic } from '../../topics/topic.entity.js';

interface CardProps {
  title?: string;
  id?: string;
  /** Whether it shows the progress of something: then the script of the page keeps it up to date. It has an id. */
  isRunning?: boolean;
  children: ComponentChildren;
}

export function Card({ title, id, isRunning, children }: CardProps) {
  return (
    <section class="card" id={id} data-running={isRunning ? '' : undefined}>
      {title && <h2>{title}</h2>}
      {children}
    </section>
  );
}

export type Tone = 'good' | 'bad' | 'warn' | 'plain';

export interface BadgeProps {
  tone: Tone;
  text: string | number;
}

export function Badge({ tone, text }: BadgeProps) {
  return <span class={`badge ${tone}`}>{text}</span>;
}

export function Notice({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return (
    <div class={`notice ${tone}`}>
      <p>{children}</p>
    </div>
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

/** The name of a topic. An archived topic has no page. */
export function TopicLink({ topic: { id, name, archivedAt } }: { topic: Topic }) {
  return archivedAt ? <>{name} (archived)</> : <a href={`/console/topics/${id}`}>{name}</a>;
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

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const MINUTE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** The only place where a timestamp may break is before its time. */
const SPACE_WITHIN = /(?<!,) /g;

interface TwoTimestampsProps {
  at: Date;
  other: Date;
  /** What happened at the other time, such as "received". */
  verb: string;
  /** In a table, the other one is below. */
  isCell?: boolean;
}

/** A timestamp, and another one unless it is the same minute. */
export function TwoTimestamps({ at, other, verb, isCell = false }: TwoTimestampsProps) {
  if (MINUTE.format(at) === MINUTE.format(other)) {
    return <Timestamp at={at} />;
  }
  const second = (
    <>
      {verb} <Timestamp at={other} />
    </>
  );
  return (
    <>
      <Timestamp at={at} />
      {isCell ? <div class="muted">{second}</div> : <span class="muted">, {second}</span>}
    </>
  );
}

/** `15 Jan 2026, 09:30 UTC` */
export function minuteOf(date: Date): string {
  return `${MINUTE.format(date)} UTC`;
}

/** `15 January 2026` */
export function dayOf(date: Date): string {
  return DAY.format(date);
}

interface TimestampProps {
  at: Date | null;
  /** Stands for a time that is null. */
  fallback?: string;
}

/** {@link minuteOf}, with the seconds in its title. */
export function Timestamp({ at, fallback = '–' }: TimestampProps) {
  if (!at) {
    return <>{fallback}</>;
  }
  const iso = at.toISOString();
  return (
    <time dateTime={iso} title={`${iso.slice(0, 19).replace('T', ' ')} UTC`}>
      {minuteOf(at).replaceAll(SPACE_WITHIN, '\u00a0')}
    </time>
  );
}
