import { h } from '../dom.ts';
import { field } from './dialog.ts';

/** JSON Schema of a value. */
export type ValueSchema = {
  $ref?: string;
  type?: string;
  enum?: string[];
  items?: ValueSchema;
  properties?: Record<string, ValueSchema>;
  required?: string[];
  minimum?: number;
  description?: string;
  default?: unknown;
};

/** Where a value is entered, or the parts of one. */
export type Field = {
  name: string;
  element: HTMLElement;
  focus: () => void;
  isChanged: () => boolean;
  /** Says one more reason why the value is refused, beside the part that `path` leads to; an empty text clears all. */
  tell: (text: string, path?: string[]) => void;
  /** Undefined for none. Throws why there is none. */
  read: () => unknown;
};
/** `id`: of the element; `given`: the value at first, undefined for none. */
export type Given = {
  id: string;
  name: string;
  /** What people read instead of the name. */
  label: string;
  schema: ValueSchema;
  given: unknown;
  isRequired: boolean;
  hint: string;
};

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
/** How a type of value is entered. `read` throws why a text is none. */
type Kind = { control: (more: object) => Control; text: (value: unknown) => string; read: (text: string) => unknown };

/** Thrown where a message beside a part of the value already says why it is refused. */
export class AlreadyReported extends Error {}

/** The values of fields by their names; null if there is none, which a message beside the field at fault explains. */
export function valuesOf(fields: readonly Field[]): Record<string, unknown> | null {
  const values: Record<string, unknown> = {};
  let isReadable = true;
  for (const one of fields) {
    one.tell('');
    try {
      const value = one.read();
      if (value !== undefined) values[one.name] = value;
    } catch (error) {
      const isReported = error instanceof AlreadyReported;
      if (isReadable && !isReported) one.focus();
      isReadable = false;
      if (!isReported) one.tell((error as Error).message);
    }
  }
  return isReadable ? values : null;
}

/** The description of a field below it, which is Markdown, with what else is to know. */
export function described({ description = '' }: ValueSchema, ...more: (string | false)[]): string {
  const text = description.replaceAll('`', '');
  return [text && (/[.!?]$/.test(text) ? text : `${text}.`), ...more].filter(Boolean).join(' ');
}

/** The messages beside a field, with one more line. */
export const withSentence = (messages: string, line: string): string =>
  line && [...new Set([...messages.split('\n'), line])].filter(Boolean).join('\n');

/** A field of one control. What that of the type cannot show, such as null, is JSON: so it can be removed. */
export function valueField(of: Given): Field {
  const one = controlField(of);
  return JSON.stringify(one.read()) === JSON.stringify(of.given) ? one : controlField({ ...of, schema: {} });
}

function controlField({ id, name, label, schema, given, isRequired, hint: text }: Given): Field {
  const kind = kindOf(schema);
  const isText = schema.type === 'array' && isLine(schema.items);
  const texts = [text, isText && 'One a line.', isJson(schema) && 'As JSON.'];
  const hint = h('small', { id: `${id}-hint` }, texts.filter(Boolean).join(' '));
  const wrong = h('small', { id: `${id}-wrong`, role: 'alert' });
  const control = kind.control({
    id,
    required: isRequired,
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-describedby': `${hint.id} ${wrong.id}`,
  });
  if (given !== undefined) control.value = kind.text(given);
  const initial = control.value;
  const isChanged = () => control.value !== initial;
  const element = field(label, control);
  element.append(hint, wrong);
  const tell = (why: string) => {
    wrong.textContent = withSentence(wrong.textContent ?? '', why);
    control.setAttribute('aria-invalid', String(why !== ''));
  };
  const read = () => (control.value.trim() === '' ? undefined : kind.read(control.value));
  return { name, element, focus: () => control.focus(), isChanged, tell, read };
}

const isJson = (schema: ValueSchema): boolean =>
  schema.type === 'array' ? !isLine(schema.items) : schema.type === undefined || schema.type === 'object';
/** Whether a list has a text on each line. */
export const isLine = (schema: ValueSchema | undefined): boolean => schema?.type === 'string' && !schema.enum;

function kindOf(schema: ValueSchema): Kind {
  const asText = (value: unknown) => (value == null ? '' : String(value));
  const chosen = (values: string[], read: Kind['read']): Kind => ({
    control: ({ required, ...more }: { required?: boolean }) => {
      const select = h('select', { ...more, required });
      select.append(...['', ...values].map((value) => h('option', { value }, value || (required ? '' : 'Default'))));
      return select;
    },
    text: asText,
    read,
  });
  if (schema.enum) return chosen(schema.enum, (text) => text);
  if (schema.type === 'boolean') return chosen(['true', 'false'], (text) => text === 'true');
  if (schema.type === 'integer' || schema.type === 'number') {
    const step = schema.type === 'integer' ? '1' : 'any';
    const control = (more: object) => h('input', { type: 'number', step, min: schema.minimum, ...more });
    return { control, text: asText, read: Number };
  }
  const control = (more: object) => h('textarea', { rows: '2', maxlength: '2000', ...more });
  if (schema.type === 'array' && isLine(schema.items)) {
    const lines = (text: string) => text.split('\n').flatMap((line) => line.trim() || []);
    return { control, text: (value) => (Array.isArray(value) ? value.join('\n') : asText(value)), read: lines };
  }
  if (isJson(schema)) return { control, text: (value) => JSON.stringify(value), read: jsonIn };
  return { control: (more) => h('input', { maxlength: '2000', ...more }), text: asText, read: (text) => text };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('This is not JSON.');
  }
}
