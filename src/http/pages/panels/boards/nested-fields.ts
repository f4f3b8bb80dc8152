import { h } from '../dom.ts';
import {
  AlreadyReported,
  described,
  type Field,
  type Given,
  isLine,
  type ValueSchema,
  valueField,
  valuesOf,
  withSentence,
} from './value-field.ts';

/** Types of input, by name. */
export type Definitions = Record<string, ValueSchema>;
type Values = Record<string, unknown>;

/** An object with as many fields shows all of them; of one with more, those with values, and others once chosen. */
const few = 8;

/** The field of a value: an object or a list has one for each of its parts. What these cannot show is JSON. */
export function fieldOf(of: Given, definitions: Definitions): Field {
  const schema = resolved(of.schema, definitions);
  const { given } = of;
  const isObject = given === undefined || (typeof given === 'object' && given !== null && !Array.isArray(given));
  if (schema.properties && isObject) return objectField({ ...of, schema }, definitions);
  const items = schema.items && resolved(schema.items, definitions);
  const isList = given === undefined || Array.isArray(given);
  if (items && !isLine(items) && isList) return listField({ ...of, schema }, items, definitions);
  return valueField({ ...of, schema: { ...schema, ...(items && { items }) } });
}

const resolved = (schema: ValueSchema, definitions: Definitions): ValueSchema =>
  schema.$ref ? { ...definitions[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)], ...schema } : schema;

type Parts = Given & {
  add: HTMLElement;
  parts: readonly Field[];
  /** The part that a step of a path leads to. */
  at: (step: string) => Field | undefined;
};
type Group = Pick<Field, 'name' | 'element' | 'focus' | 'isChanged' | 'tell'> & {
  list: HTMLElement;
  /** What it reads of its parts: an empty one is none, unless there must be one, or it takes the place of a default. */
  valueOf: <Value extends object>(entered: Value) => Value | undefined;
};

/** A group of fields, with a message of its own for what is about none of them. */
function groupOf({ id, name, label, hint, schema, given, isRequired, add, parts, at }: Parts): Group {
  const wrong = h('small', { role: 'alert' });
  const list = h('div', { class: 'parts' });
  const about = h('p', {}, h('small', {}, hint), wrong);
  const wasEmpty = given !== undefined && Object.keys(given as object).length === 0;
  const empty = h('input', { type: 'checkbox', checked: wasEmpty });
  const instead = schema.default !== undefined && h('p', {}, h('label', {}, empty, ' Empty instead of the default'));
  const element = h('fieldset', { id, class: 'nested' }, h('legend', {}, label), about, list, add, instead);
  const tell = (text: string, [step, ...rest]: string[] = []) => {
    const part = text !== '' && step !== undefined && at(step);
    if (part) part.tell(text, rest);
    else wrong.textContent = withSentence(wrong.textContent ?? '', text);
    if (text === '') for (const one of parts) one.tell('');
  };
  const first = (selector: string) => element.querySelector<HTMLElement>(selector);
  const focus = () => (first('[aria-invalid="true"]') ?? first('input, select, textarea, button'))?.focus();
  const isMissing = isRequired && given === undefined;
  const isChanged = () => isMissing || empty.checked !== wasEmpty || parts.some((one) => one.isChanged());
  const valueOf = <Value extends object>(entered: Value) =>
    Object.keys(entered).length > 0 || isRequired || (instead && empty.checked) ? entered : undefined;
  return { name, element, list, tell, focus, isChanged, valueOf };
}

function objectField(of: Given, definitions: Definitions): Field {
  const { id, label, schema, given } = of;
  const own = (given ?? {}) as Values;
  const needed = new Set(schema.required);
  const gone = Object.keys(own).filter((key) => !(key in (schema.properties ?? {})));
  const properties = { ...schema.properties, ...Object.fromEntries(gone.map((key) => [key, {}])) };
  const names = Object.keys(properties);
  const parts: Field[] = [];
  const choose = h('select', { 'aria-label': `Add a field to ${label}` });
  // Not by a change of the select, which an arrow key is.
  const onclick = () => (choose.value ? show(choose.value) : choose).focus();
  const add = h('p', {}, choose, h('button', { type: 'button', 'aria-label': `Add to ${label}`, onclick }, 'Add'));
  const group = groupOf({ ...of, add, parts, at: (step) => parts.find((one) => one.name === step) });
  const isShown = (key: string) => key in own || needed.has(key) || (names.length <= few && !isNested(key));
  for (const key of names.filter(isShown)) show(key);
  offer();
  return { ...group, read };

  function isNested(key: string): boolean {
    const { properties: inner, items } = resolved(properties[key] ?? {}, definitions);
    return inner !== undefined || (items !== undefined && !isLine(items));
  }

  function show(key: string): Field {
    const isNeeded = needed.has(key);
    const part = properties[key] ?? {};
    const text = described(resolved(part, definitions), isNeeded && 'Required.');
    const names = { id: `${id}-${key}`, name: key, label: key };
    const one = fieldOf({ ...names, schema: part, given: own[key], isRequired: false, hint: text }, definitions);
    parts.push(one);
    group.list.append(one.element);
    offer();
    return one;
  }

  function offer(): void {
    const left = names.filter((key) => !parts.some((one) => one.name === key));
    choose.replaceChildren(...['', ...left].map((key) => h('option', { value: key }, key || 'Add a field…')));
    add.hidden = left.length === 0;
  }

  function read(): unknown {
    const values = valuesOf(parts);
    if (!values) throw new AlreadyReported();
    return group.isChanged() ? group.valueOf(values) : given;
  }
}

function listField(of: Given, items: ValueSchema, definitions: Definitions): Field {
  const { id, label: name, given } = of;
  const own = (given ?? []) as unknown[];
  const parts: Field[] = [];
  /** Those that have been read as items, which errors count. */
  let sent: Field[] = [];
  let isOther = false;
  let made = 0;
  const more = h('button', { type: 'button', onclick: () => change(() => show(undefined).focus()) }, `Add to ${name}`);
  const group = groupOf({ ...of, add: h('p', {}, more), parts, at: (step) => sent[Number(step)] });
  for (const item of own) show(item);
  return { ...group, isChanged, read };

  function change(how: () => void): void {
    isOther = true;
    how();
  }

  function show(item: unknown): Field {
    made += 1;
    const label = `${name} ${made}`;
    const names = { id: `${id}-${made}`, name: String(made), label };
    const one = fieldOf({ ...names, schema: items, given: item, isRequired: false, hint: '' }, definitions);
    const remove = h(
      'button',
      {
        type: 'button',
        'aria-label': `Remove ${label}`,
        onclick: () =>
          change(() => {
            parts.splice(parts.indexOf(one), 1);
            row.remove();
            more.focus();
          }),
      },
      'Remove',
    );
    const row = h('div', { class: 'item' }, one.element, remove);
    parts.push(one);
    group.list.append(row);
    return one;
  }

  function isChanged(): boolean {
    return isOther || group.isChanged();
  }

  function read(): unknown {
    const values = valuesOf(parts);
    if (!values) throw new AlreadyReported();
    sent = parts.filter((one) => !isChanged() || one.name in values);
    return isChanged() ? group.valueOf(sent.map((one) => values[one.name])) : given;
  }
}
