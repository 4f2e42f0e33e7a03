import type { ComponentChildren, JSX } from 'preact';
import { textOf, type Fields } from '../access/fields.js';

interface FieldProps {
  name: string;
  label: string;
  hint?: ComponentChildren;
  value?: string | undefined;
  required?: boolean;
  /** Whether the label says that the field may stay empty; without it, whether the field is not required. */
  optional?: boolean;
  /** The id of the element. Only needed if a page has two fields of the same name. */
  id?: string;
}

interface InputProps extends FieldProps {
  type?: 'text' | 'email' | 'search' | 'date' | 'datetime-local' | 'number' | 'password' | 'url';
  placeholder?: string;
  maxLength?: number;
}

export function Input(props: InputProps): JSX.Element {
  const {
    name,
    label,
    hint,
    type = 'text',
    id = `field-${name}`,
    optional = !props.required,
    ...rest
  } = props;
  return (
    <Labelled id={id} label={label} hint={hint} optional={optional}>
      <input
        id={id}
        name={name}
        type={type as 'text'}
        autocomplete="off"
        {...describedBy(id, hint)}
        {...rest}
      />
    </Labelled>
  );
}

interface TextAreaProps extends Omit<FieldProps, 'optional'> {
  rows?: number;
  maxLength?: number;
  placeholder?: string;
}

export function TextArea(props: TextAreaProps): JSX.Element {
  const { name, label, hint, value, rows = 3, id = `field-${name}`, ...rest } = props;
  return (
    <Labelled id={id} label={label} hint={hint} optional={!rest.required}>
      <textarea id={id} name={name} rows={rows} {...describedBy(id, hint)} {...rest}>
        {value}
      </textarea>
    </Labelled>
  );
}

export interface Choice {
  value: string;
  label: string;
}

interface SelectProps extends Omit<FieldProps, 'required' | 'optional'> {
  choices: readonly Choice[];
}

export function Select({
  name,
  label,
  hint,
  value,
  choices,
  id = `field-${name}`,
}: SelectProps): JSX.Element {
  return (
    <Labelled id={id} label={label} hint={hint}>
      <select id={id} name={name} {...describedBy(id, hint)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} selected={choice.value === value}>
            {choice.label}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

interface CheckboxProps {
  name: string;
  label: ComponentChildren;
  value?: string;
  checked?: boolean;
}

export function Checkbox({ name, label, value = 'true', checked = false }: CheckboxProps): JSX.Element {
  return (
    <label class="check">
      <input type="checkbox" name={name} value={value} checked={checked} /> <span>{label}</span>
    </label>
  );
}

export function Hidden({ values }: { values: Fields }): JSX.Element {
  return (
    <>
      {Object.keys(values).map((name) => (
        <input key={name} type="hidden" name={name} value={textOf(values, name)} />
      ))}
    </>
  );
}

interface LabelledProps {
  id: string;
  label: string;
  hint?: ComponentChildren;
  optional?: boolean;
  children: ComponentChildren;
}

function Labelled({ id, label, hint, optional = false, children }: LabelledProps): JSX.Element {
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
