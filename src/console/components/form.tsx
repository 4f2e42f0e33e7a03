import { createContext, type ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { Card } from './card.js';
import { textsOf, type EnteredForm, type Fields } from './fields.js';

/** The form of the page that comes again. */
export const EnteredFormContext = createContext<EnteredForm | undefined>(undefined);

/** The values of the fields of a form. */
export const ValuesContext = createContext<Fields>({});

interface FormProps {
  action: string;
  /** The text of the button. */
  submit: string;
  tone?: 'primary' | 'danger' | 'plain';
  /** The values of the fields, unless the form comes again. */
  values?: Fields;
  /** The values of fields that the page does not show. They distinguish forms with the same action. */
  hidden?: Fields;
  /** Whether the fields are beside each other. */
  isRow?: boolean;
  method?: 'get' | 'post';
  enctype?: string;
  children?: ComponentChildren;
}

/** A form whose fields have the values that the person has just entered, if it comes again. */
export function Form(form: FormProps) {
  const { action, submit, tone = 'primary', hidden = {}, method = 'post', enctype, children } = form;
  const values = useEntered(action, hidden) ?? form.values ?? {};
  return (
    <ValuesContext.Provider value={values}>
      <form class={form.isRow ? 'row' : 'form'} method={method} action={action} enctype={enctype}>
        <Hidden values={hidden} />
        {children}
        <button class={tone === 'plain' ? undefined : tone} type="submit">
          {submit}
        </button>
      </form>
    </ValuesContext.Provider>
  );
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

/** A form behind a button, open if it comes again. */
export function DetailsForm({ label, warns = false, ...form }: DetailsFormProps) {
  return (
    <details class="act" open={useEntered(form.action, form.hidden) !== undefined}>
      <summary class={warns ? 'danger' : undefined}>{label}</summary>
      <Form {...form} />
    </details>
  );
}

/** A form that is one button. */
export function PostButton({ action, label }: { action: string; label: string }) {
  return (
    <form method="post" action={action}>
      <button type="submit">{label}</button>
    </form>
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

/** The fields of a form that comes again. */
function useEntered(action: string, hidden: Fields = {}): Fields | undefined {
  const entered = useContext(EnteredFormContext);
  const isSame = (name: string) => `${textsOf(entered!.fields, name)}` === `${textsOf(hidden, name)}`;
  return entered?.action === action && Object.keys(hidden).every(isSame) ? entered.fields : undefined;
}
