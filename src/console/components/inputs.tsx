import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import type { Page } from '../../http/page.js';
import type { Topic } from '../../topics/topic.entity.js';
import { textOf, textsOf, ValuesContext } from './form.js';

interface InputProps {
  name: string;
  label: string;
  hint?: ComponentChildren;
  required?: boolean;
  /** Whether the label says that the field may stay empty; without it, whether the field is not required. */
  optional?: boolean;
  /** The id of the element. Only needed if a page has two fields of the same name. */
  id?: string;
  type?: 'text' | 'search' | 'date' | 'datetime-local' | 'number' | 'password' | 'url' | 'file';
  placeholder?: string;
  maxLength?: number;
}

/** A field, with the value that its form gives it. */
export function Input(props: InputProps) {
  const {
    name,
    label,
    hint,
    type = 'text',
    id = `field-${name}`,
    optional = !props.required,
    ...rest
  } = props;
  const value = textOf(useContext(ValuesContext), name) || undefined;
  return (
    <Labelled id={id} label={label} hint={hint} optional={optional}>
      <input
        id={id}
        name={name}
        type={type as 'text'}
        autocomplete="off"
        dir="auto"
        {...describedBy(id, hint)}
        value={type === 'file' ? undefined : value}
        {...rest}
      />
    </Labelled>
  );
}

interface TextAreaProps extends Pick<InputProps, 'name' | 'label' | 'hint' | 'required'> {
  rows?: number;
}

export function TextArea({ name, label, hint, rows = 3, required = false }: TextAreaProps) {
  const id = `field-${name}`;
  return (
    <Labelled id={id} label={label} hint={hint} optional={!required}>
      <textarea id={id} name={name} rows={rows} dir="auto" {...describedBy(id, hint)} required={required}>
        {textOf(useContext(ValuesContext), name)}
      </textarea>
    </Labelled>
  );
}

/** Labels by value, in the order of the list. */
export type Choices = Readonly<Record<string, string>>;

interface SelectProps extends Pick<InputProps, 'name' | 'label' | 'hint' | 'id'> {
  /** Must be a map if a value can be a number, because an object lists such keys first. */
  choices: Choices | ReadonlyMap<string, string>;
  /** The label of the empty value, which comes first. */
  emptyLabel?: string | undefined;
  /** Overrides the value that the form gives the field. */
  value?: string | undefined;
}

export function Select({
  name,
  label,
  hint,
  choices,
  emptyLabel,
  id = `field-${name}`,
  ...props
}: SelectProps) {
  const values = useContext(ValuesContext);
  const { value = textOf(values, name) } = props;
  const labels = choices instanceof Map ? choices : new Map(Object.entries(choices));
  const options = [...(emptyLabel === undefined ? [] : [['', emptyLabel] as const]), ...labels];
  return (
    <Labelled id={id} label={label} hint={hint}>
      <select id={id} name={name} {...describedBy(id, hint)}>
        {options.map(([choice, text]) => (
          <option key={choice} value={choice} selected={choice !== '' && choice === value}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

interface CheckboxProps {
  name: string;
  value: string;
  children: ComponentChildren;
}

export function Checkbox({ name, value, children }: CheckboxProps) {
  const isChecked = textsOf(useContext(ValuesContext), name).includes(value);
  return (
    <label class="check">
      <input type="checkbox" name={name} value={value} checked={isChecked} /> <span>{children}</span>
    </label>
  );
}

interface TopicFieldProps extends Pick<InputProps, 'name' | 'label'> {
  /** The newest topics. If there are more, the person enters a key. */
  topics: Page<Topic>;
  /** What it means to choose no topic. Without it, a topic is required. */
  emptyLabel?: string;
}

export function TopicField({ topics, emptyLabel, ...field }: TopicFieldProps) {
  if (topics.hasMore) {
    const hint = `The key of a topic${emptyLabel ? `. Leave it empty for: ${emptyLabel}` : ''}.`;
    return <Input {...field} hint={hint} required={emptyLabel === undefined} />;
  }
  const choices = new Map(topics.elements.map(({ key, name }) => [key, name]));
  return <Select {...field} choices={choices} emptyLabel={emptyLabel} />;
}

/** The days between which something was created, for a filter. */
export function DateInputs() {
  return (
    <>
      <Input name="created_after" label="From (UTC)" type="date" optional={false} />
      <Input name="created_before" label="Before (UTC)" type="date" optional={false} />
    </>
  );
}

interface LabelledProps extends Pick<InputProps, 'label' | 'hint' | 'optional'> {
  id: string;
  children: ComponentChildren;
}

function Labelled({ id, label, hint, optional = false, children }: LabelledProps) {
  return (
    <div class="field">
      <label for={id}>
        {label} {optional && <span class="muted">(optional)</span>}
      </label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children}
    </div>
  );
}

function describedBy(id: string, hint: unknown): { 'aria-describedby'?: string } {
  return hint ? { 'aria-describedby': `${id}-hint` } : {};
}
