import type { IncomingMessage } from 'node:http';
import { createContext, type ComponentChildren, type ComponentProps } from 'preact';
import { useContext } from 'preact/hooks';
import { toUrl } from '../../process/to-url.js';
import { Invalid, parseTimestamp } from '../../validation/parsers.js';
import { Card } from './content.js';

/** The fields of a form as the browser sends them: an array where a name occurs repeatedly. */
export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What a person sent in a form that is shown again, because the service refused it or required a new sign-in first. */
export interface EnteredForm {
  /** The path that the form was sent to. */
  action: string;
  fields: Fields;
}

/** The text of a field, or an empty string if the field is missing. */
export function textOf(fields: Fields, name: string): string {
  const [value = ''] = textsOf(fields, name);
  return value.trim();
}

export function textsOf(fields: Fields, name: string): string[] {
  const values: unknown[] = [fields[name]].flat();
  return values.filter((value) => typeof value === 'string');
}

export function pick<Name extends string>(fields: Fields, names: readonly Name[]): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, textOf(fields, name)])) as Record<Name, string>;
}

/** A time from which something is wanted as `created_after` takes it, which excludes the time itself. */
export function justBefore(from: string): string {
  const time = parseTimestamp(from);
  return time instanceof Invalid || time.ceil === 0 ? from : new Date(time.ceil - 1).toISOString();
}

/** The page that the person asked for, or that had the form. */
export function formPageOf({ method, url = '', headers: { referer = '' } }: IncomingMessage): string {
  if (method === 'GET') {
    return url;
  }
  const { pathname = url, search = '' } = toUrl(referer) ?? {};
  return pathname + search;
}

/** The form of the page that is shown again. */
export const EnteredFormContext = createContext<EnteredForm | undefined>(undefined);

/** The values of the fields of a form. */
export const ValuesContext = createContext<Fields>({});

/** The name of the account that the page shows. */
export const AccountContext = createContext('');

/** A form. If it changes something, its URL names the account of the page, for {@link requireSameAccount}. */
export function AccountForm({ method = 'post', action, ...form }: ComponentProps<'form'>) {
  const account = useContext(AccountContext);
  return (
    <form {...form} method={method} action={method === 'post' ? `${action}?account=${account}` : action} />
  );
}

interface FormProps {
  action: string;
  /** The text of the button. */
  submit: string;
  tone?: 'primary' | 'danger' | 'plain';
  /** The values of the fields, unless the form is shown again. */
  values?: Fields;
  /** The values of fields that the page does not show. They distinguish forms with the same action. */
  hidden?: Fields;
  /** Whether the fields are beside each other. */
  isRow?: boolean;
  method?: 'get' | 'post';
  enctype?: string;
  /** Whether the form also sends the values that it showed at first, for {@link changedIn}. */
  sendsShown?: boolean;
  children?: ComponentChildren;
}

/** A form. If it is shown again, its fields have the values that the person has just entered. */
export function Form(form: FormProps) {
  const { action, submit, tone = 'primary', hidden = {}, method = 'post', enctype, children } = form;
  const shown = form.sendsShown ? shownIn(form.values ?? {}) : {};
  const values = useEntered(action, hidden) ?? { ...form.values, ...shown };
  const shownAtFirst = Object.fromEntries(Object.keys(shown).map((name) => [name, values[name]]));
  return (
    <ValuesContext.Provider value={values}>
      <AccountForm class={form.isRow ? 'row' : 'form'} method={method} action={action} enctype={enctype}>
        <Hidden values={{ ...hidden, ...shownAtFirst }} />
        {children}
        <button class={tone === 'plain' ? undefined : tone} type="submit">
          {submit}
        </button>
      </AccountForm>
    </ValuesContext.Provider>
  );
}

const SHOWN = 'shown_';

function shownIn(values: Fields): Fields {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [SHOWN + name, value]));
}

/**
 * Leaves only the fields that the person changed in a form that sends what it showed. Somebody else may have changed the others
 * since the page was opened. A field without such a value, as from a page of an earlier version, counts as changed.
 *
 * @param fields - what to save, by the names of the form's fields
 */
export function changedIn(form: Fields, fields: Record<string, unknown>): Record<string, unknown> {
  const enteredIn = (name: string) =>
    textsOf(form, name)
      .map((text) => text.trim())
      .filter(Boolean)
      .toSorted()
      .join('\n');
  const isChanged = (name: string) =>
    form[SHOWN + name] === undefined || enteredIn(name) !== enteredIn(SHOWN + name);
  return Object.fromEntries(Object.entries(fields).filter(([name]) => isChanged(name)));
}

interface CardFormProps extends FormProps {
  title: string;
  id?: string;
  /** What the form does. */
  intro?: string;
}

export function CardForm({ title, id, intro, ...form }: CardFormProps) {
  return (
    <Card title={title} id={id}>
      {intro && <p class="muted">{intro}</p>}
      <Form {...form} />
    </Card>
  );
}

interface DetailsFormProps extends FormProps {
  label: string;
  /** Whether the button that opens the form is a warning. */
  warns?: boolean;
}

/** A form behind a button. It is open if it is shown again. */
export function DetailsForm({ label, warns = false, ...form }: DetailsFormProps) {
  return (
    <details class="act" open={useEntered(form.action, form.hidden) !== undefined}>
      <summary class={warns ? 'danger' : undefined}>{label}</summary>
      <Form {...form} />
    </details>
  );
}

/** A form with nothing but a button. */
export function PostButton({ action, label }: { action: string; label: string }) {
  return (
    <AccountForm action={action}>
      <button type="submit">{label}</button>
    </AccountForm>
  );
}

interface ConfirmButtonProps {
  action: string;
  /** What is asked about, such as "Remove". */
  label: string;
  /** The text of the button that acts, such as "Remove ada@example.com". */
  confirm: string;
  tone?: 'danger' | 'plain';
  /** The values of fields that the page does not show. */
  hidden?: Fields;
  /** What acting does. */
  children: ComponentChildren;
}

/** A button that opens a question, whose own button acts. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { action, label, confirm, tone = 'danger', hidden = {}, children } = props;
  return (
    <details class="act">
      <summary class={tone}>{label}…</summary>
      <AccountForm class={`ask ${tone}`} action={action}>
        <Hidden values={hidden} />
        <p>{children}</p>
        <button class={tone} type="submit">
          {confirm}
        </button>
      </AccountForm>
    </details>
  );
}

/** The fields of a filter. */
export function FilterForm({ action, values, children }: Omit<FormProps, 'submit'>) {
  return (
    <ValuesContext.Provider value={values!}>
      <form class="card" method="get" action={action}>
        <div class="row">
          {children}
          <button class="primary" type="submit">
            Filter
          </button>
        </div>
      </form>
    </ValuesContext.Provider>
  );
}

export function Hidden({ values }: { values: Fields }) {
  return (
    <>
      {Object.keys(values).flatMap((name) =>
        textsOf(values, name).map((value) => <input key={value} type="hidden" name={name} value={value} />),
      )}
    </>
  );
}

/** The fields of a form that is shown again. */
function useEntered(action: string, hidden: Fields = {}): Fields | undefined {
  const entered = useContext(EnteredFormContext);
  const isSame = (name: string) => `${textsOf(entered!.fields, name)}` === `${textsOf(hidden, name)}`;
  return entered?.action === action && Object.keys(hidden).every(isSame) ? entered.fields : undefined;
}
