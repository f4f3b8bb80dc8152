import { h } from '../dom.ts';
import { type Failure, linesOf } from '../failure.ts';
import { field } from './dialog.ts';
import { ask, type Result } from './page.ts';

export type Variables = Record<string, unknown>;
/** JSON Schema of the variables of an operation. */
type InputSchema = { properties: Record<string, ValueSchema>; required?: string[] };
type ValueSchema = {
  type?: string;
  enum?: string[];
  items?: ValueSchema;
  minimum?: number;
  description?: string;
  default?: unknown;
};
type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
/** How a type of value is entered. `read` throws why a text is none. */
type Kind = { control: (more: object) => Control; text: (value: unknown) => string; read: (text: string) => unknown };
type Field = {
  name: string;
  element: HTMLElement;
  control: Control;
  isChanged: () => boolean;
  tell: (text: string) => void;
  /** Undefined for none. Throws why there is none. */
  read: () => unknown;
};

type Fields = {
  element: HTMLElement;
  /**
   * The values as they are entered, once the query has accepted them; those given, if none has changed. Null if it has
   * not: why is told beside the fields, and in `state` where it names none.
   */
  checked: (run: (values: Variables) => Promise<Result>, state: HTMLElement) => Promise<Variables | null>;
};

/** Variables that the board sets, unless a tile has a value of its own. */
export type OfBoard = { last: string | null; timeZone: string | null };

const query =
  'query VariablesOfTile($name: String!) { operations(first: 1, filter: { names: [$name] }) { nodes { inputSchema } } }';

/** The fields of the variables of an operation by its name, which are there once these are read. */
export function variableFields(operation: string | null, given: Variables, ofBoard: OfBoard): Fields {
  if (operation === null) return fieldsOf(null, given, ofBoard);
  const element = h('div', {}, h('p', { class: 'panel-hint' }, 'Loading the variables…'));
  const reading = readSchema(operation).then((schema) => fieldsOf(schema, given, ofBoard));
  const read = reading.then(
    (fields) => {
      element.replaceChildren(fields.element);
      return fields;
    },
    ({ message }: Error) => {
      element.replaceChildren(h('p', { class: 'panel-hint', role: 'alert' }, message));
      return null;
    },
  );
  return { element, checked: async (run, state) => (await read)?.checked(run, state) ?? null };
}

/** They describe their types of input, which can be large: nothing else asks for them. */
async function readSchema(name: string): Promise<InputSchema | null> {
  type Answer = { operations: { nodes: { inputSchema: InputSchema | null }[] } };
  return (await ask<Answer>(query, { name }))?.operations.nodes[0]?.inputSchema ?? null;
}

/**
 * A field for each variable of an operation: what is left empty is as the board or the operation says. Values of
 * variables that the operation no longer has are shown too, since it cannot run with them.
 */
function fieldsOf(schema: InputSchema | null, given: Variables, ofBoard: OfBoard): Fields {
  const properties = { ...Object.fromEntries(Object.keys(given).map((name) => [name, gone])), ...schema?.properties };
  const required = new Set(schema?.required);
  const fields = Object.entries(properties).map(([name, value]) => {
    const isOfBoard = (name === 'last' || name === 'timeZone') && ofBoard[name] !== null;
    return fieldOf({ name, schema: value, given, isRequired: required.has(name) && !isOfBoard, isOfBoard });
  });
  const element = h(
    'fieldset',
    { hidden: fields.length === 0 },
    h('legend', {}, 'Variables of the query'),
    ...fields.map((one) => one.element),
  );
  return { element, checked };

  async function checked(run: (values: Variables) => Promise<Result>, state: HTMLElement): Promise<Variables | null> {
    state.textContent = '';
    const values = read();
    if (!values || values === given) return values;
    const { errors = [] } = await run(values);
    const refused = errors.filter(({ extensions }) => extensions?.code === 'invalid_request');
    state.textContent = tell(refused).join('\n');
    return refused.length > 0 ? null : values;
  }

  function read(): Variables | null {
    const values: Variables = {};
    let isReadable = true;
    for (const one of fields) {
      one.tell('');
      try {
        const value = one.read();
        if (value !== undefined) values[one.name] = value;
      } catch (error) {
        if (isReadable) one.control.focus();
        isReadable = false;
        one.tell((error as Error).message);
      }
    }
    if (!isReadable) return null;
    return fields.some((one) => one.isChanged()) ? values : given;
  }

  /** Says beside the fields why their values are refused. Returns the lines that name none of them. */
  function tell(failures: Failure[]): string[] {
    const [first, ...others] = failures.flatMap(linesOf).flatMap((line) => {
      const found = fields.find((one) => isAbout(line, one.name));
      found?.tell(line);
      return found ?? line;
    });
    if (typeof first === 'object') first.control.focus();
    return [first, ...others].filter((one) => typeof one === 'string');
  }
}

const gone: ValueSchema = { description: 'The query has no such variable any more: remove its value.' };

/** Whether a message is about a variable: an issue begins with the path of a value in one, or of an argument. */
const isAbout = (line: string, name: string): boolean => {
  const segments = /^([\w.]+): /.exec(line)?.[1]?.split('.') ?? [];
  return segments[0] === name || segments.at(-1) === name;
};

type Given = { name: string; schema: ValueSchema; given: Variables; isRequired: boolean; isOfBoard: boolean };

function fieldOf({ name, schema, given, isRequired, isOfBoard }: Given): Field {
  const id = `variable-${name}`;
  const kind = kindOf(schema);
  const hint = h('small', { id: `${id}-hint` }, hintOf(schema, { isRequired, isOfBoard }));
  const wrong = h('small', { id: `${id}-wrong`, role: 'alert' });
  const control = kind.control({
    id,
    required: isRequired,
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-describedby': `${hint.id} ${wrong.id}`,
  });
  if (name in given) control.value = kind.text(given[name]);
  const initial = control.value;
  const isChanged = () => control.value !== initial;
  const element = field(name, control);
  element.append(hint, wrong);
  const tell = (why: string) => {
    wrong.textContent = why;
    control.setAttribute('aria-invalid', String(why !== ''));
  };
  const read = () => {
    // What a field cannot show, such as null, stays as it is.
    if (!isChanged()) return given[name];
    return control.value.trim() === '' ? undefined : kind.read(control.value);
  };
  return { name, element, control, isChanged, tell, read };
}

function hintOf(schema: ValueSchema, { isRequired, isOfBoard }: Pick<Given, 'isRequired' | 'isOfBoard'>): string {
  const standard = schema.default === undefined ? '' : `Empty for ${JSON.stringify(schema.default)}.`;
  const parts = [
    schema.description && (/[.!?]$/.test(schema.description) ? schema.description : `${schema.description}.`),
    schema.type === 'array' && isLine(schema.items) && 'One a line.',
    isJson(schema) && schema !== gone && 'As JSON.',
    isOfBoard ? 'Empty for that of the board.' : isRequired ? 'Required.' : standard,
  ];
  return parts.filter(Boolean).join(' ');
}

const isJson = (schema: ValueSchema): boolean =>
  schema.type === 'array' ? !isLine(schema.items) : schema.type === undefined || schema.type === 'object';
const isLine = (schema: ValueSchema | undefined): boolean => schema?.type === 'string';

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
