import type { ComponentChild } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isTouch } from '../host.ts';
import type { Properties } from '../properties.ts';
import { fill } from '../texts/texts.ts';
import type { FormField } from '../types.ts';

/** The browser's own types of fields: they bring the keyboard, the check and the filling in. */
const inputs: Record<string, object> = {
  email: { type: 'email', autoComplete: 'email' },
  phone: { type: 'tel', autoComplete: 'tel' },
  number: { type: 'number', step: 'any' },
  date: { type: 'date' },
  url: { type: 'url' },
};

/** What the visitor is asked before the first message. */
export function Form({ state, chat, texts }: Properties): ComponentChild {
  const form = useRef<HTMLFormElement>(null);
  const [fault, setFault] = useState('');
  useLayoutEffect(() => {
    if (state.openedByVisitor && !isTouch()) form.current?.querySelector<HTMLElement>('input, select')?.focus();
  }, []);
  const labels: Record<string, string> = texts.fields;
  const labelOf = ({ name }: FormField) => labels[name] ?? name;
  const submit = async (event: Event) => {
    event.preventDefault();
    const data = new FormData(form.current ?? undefined);
    const answers = state.form.map((field) => [field.name, valueOf(field, data.getAll(field.name) as string[])]);
    const refused = await chat.answerForm(Object.fromEntries(answers));
    const field = state.form.find(({ name }) => name === refused);
    if (refused !== null) setFault(field ? fill(texts.checkField, { name: labelOf(field) }) : texts.offline);
  };
  return (
    <form ref={form} class="form" onSubmit={(event) => void submit(event)} aria-label={texts.form}>
      {state.form.map((field) => (
        <Field key={field.name} field={field} label={labelOf(field)} />
      ))}
      <p class="fault" role="alert">
        {fault}
      </p>
      <button class="start" type="submit">
        {texts.startChat}
      </button>
    </form>
  );
}

function Field({ field, label }: { field: FormField; label: string }): ComponentChild {
  const { name, type, options, required } = field;
  const text = `${label}${required ? ' *' : ''}`;
  if (type === 'multi_choice')
    return (
      <fieldset>
        <legend>{text}</legend>
        {options.map((option) => (
          <label key={option} class="check">
            <input type="checkbox" name={name} value={option} /> {option}
          </label>
        ))}
      </fieldset>
    );
  if (type === 'boolean')
    return (
      <label class="check">
        <input type="checkbox" name={name} value="true" required={required} /> {text}
      </label>
    );
  return (
    <label>
      {text}
      {type === 'choice' ? (
        <select name={name} required={required}>
          <option value="" />
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : (
        <input
          name={name}
          required={required}
          dir="auto"
          maxLength={500}
          autoComplete={name === 'name' ? 'name' : name === 'company' ? 'organization' : undefined}
          {...inputs[type]}
        />
      )}
    </label>
  );
}

function valueOf({ type }: FormField, values: string[]): unknown {
  const [value = ''] = values;
  if (type === 'multi_choice') return values;
  if (type === 'boolean') return value === 'true' || null;
  return type === 'number' && value ? Number(value) : value;
}
