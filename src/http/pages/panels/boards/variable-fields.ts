import { h } from '../dom.ts';
import { type Failure, linesOf } from '../failure.ts';
import { type Definitions, fieldOf } from './nested-fields.ts';
import { ask, type Result } from './page.ts';
import { described, type ValueSchema, valuesOf } from './value-field.ts';

export type Variables = Record<string, unknown>;
/** JSON Schema of the variables of an operation. */
type InputSchema = { properties: Record<string, ValueSchema>; required?: string[]; $defs?: Definitions };

type Fields = {
  element: HTMLElement;
  /**
   * The values as they are entered, once the query has accepted them; those given, if none has changed. Null if it has
   * not: the reason is shown beside the fields, and in `state` where it names none.
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
    const isRequired = required.has(name) && !isOfBoard;
    const standard = value.default === undefined ? '' : `Empty for ${JSON.stringify(value.default)}.`;
    const empty = isOfBoard ? 'Empty for that of the board.' : isRequired ? 'Required.' : standard;
    const of = { id: `variable-${name}`, name, label: name, schema: value, given: given[name], isRequired };
    return fieldOf({ ...of, hint: described(value, empty) }, schema?.$defs ?? {});
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
    const values = valuesOf(fields);
    return values && !fields.some((one) => one.isChanged()) ? given : values;
  }

  /** Says beside the fields why their values are refused. Returns the lines that name none of them. */
  function tell(failures: Failure[]): string[] {
    const [first, ...others] = failures.flatMap(linesOf).flatMap((line) => {
      const path = /^([\w.]+): /.exec(line)?.[1]?.split('.') ?? [];
      // An issue begins with the path of a value in a variable, or of an argument.
      const found = fields.find(({ name }) => name === path[0]) ?? fields.find(({ name }) => name === path.at(-1));
      found?.tell(line, found.name === path[0] ? path.slice(1) : []);
      return found ?? line;
    });
    if (typeof first === 'object') first.focus();
    return [first, ...others].filter((one) => typeof one === 'string');
  }
}

const gone: ValueSchema = { description: 'The query has no such variable any more: remove its value.' };
