import { parseHTML } from 'linkedom';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

type Element = ReturnType<typeof parseHTML>['document']['documentElement'];
type Values = Record<string, unknown>;
type Run = (values: Values) => Promise<unknown>;
type Fields = { element: Element; checked: (run: Run, state: { textContent: string }) => Promise<Values | null> };

const page = parseHTML('<p id="options">{"root":""}</p>');
const gateway = useGateway();
let home: TestWorkspace;
let variableFields: (operation: string, given: Values, ofBoard: object) => Fields;
let runSaved: (name: string, values: Values) => Promise<unknown>;

beforeAll(async () => {
  home = await makeWorkspace(gateway);
  await makeAgent(gateway, home.editor, { name: 'Ada' });
  // What this document leaves out of a form.
  const chosen = new WeakMap<object, string>();
  Object.defineProperty(page.HTMLSelectElement.prototype, 'value', {
    get(this: Element) {
      const values = [...this.querySelectorAll('option')].map((one) => one.getAttribute('value') ?? '');
      const value = chosen.get(this) ?? values[0] ?? '';
      return values.includes(value) ? value : '';
    },
    set(this: Element, value: string) {
      chosen.set(this, value);
    },
  });
  Object.defineProperty(page.HTMLInputElement.prototype, 'checked', {
    get(this: Element) {
      return this.hasAttribute('checked');
    },
    set(this: Element, isChecked: boolean) {
      this.toggleAttribute('checked', isChecked);
    },
  });
  vi.stubGlobal('document', page.document);
  vi.stubGlobal('location', { hash: '' });
  vi.stubGlobal('parleyToken', gateway.bearer(home.owner));
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => gateway.app.request(`/${path}`, init));
  const folder = new URL('../../src/http/pages/panels/boards/', import.meta.url);
  ({ variableFields } = await import(`${folder}variable-fields.ts`));
  ({ runSaved } = await import(`${folder}page.ts`));
});
afterAll(() => vi.unstubAllGlobals());

const save = 'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }';
let made = 0;
/** The fields of a query with a variable $filter, as a board shows them; `refuse`: messages instead of a result. */
async function open(type: string, given: Values = {}, refuse?: string[]) {
  made += 1;
  const name = `filtered-${made}`;
  const document = `query ($filter: ${type}) { agents(filter: ${type.startsWith('[') ? '{ or: $filter }' : '$filter'}) { totalCount } }`;
  await gateway.data(home.owner, save, { input: { name, document } });
  const { element, checked } = variableFields(name, given, { last: null, timeZone: null });
  await vi.waitFor(() => expect(element.outerHTML).toContain('<fieldset'));
  const at = (id: string) => element.querySelector(`#variable-filter${id}`) as unknown as HTMLControl;
  const press = (label: string) => {
    const buttons = [...element.querySelectorAll('button')];
    const found = buttons.find((one) => (one.getAttribute('aria-label') ?? one.textContent) === label);
    if (!found) throw new Error(`There is no button ${label}.`);
    found.click();
  };
  const add = (to: string, part: string) => {
    const select = element.querySelector(`select[aria-label="Add a field to ${to}"]`) as unknown as HTMLControl;
    select.value = part;
    press(`Add to ${to}`);
  };
  const state = { textContent: '' };
  const refused = refuse?.map((message) => ({ message, extensions: { code: 'invalid_request' } }));
  const run = vi.fn<Run>((values) => (refused ? Promise.resolve({ errors: refused }) : runSaved(name, values)));
  const told = () =>
    Object.fromEntries(
      [...element.querySelectorAll('[role=alert]')].flatMap((one) =>
        one.textContent
          ? [[one.getAttribute('id') ?? one.closest('fieldset')?.getAttribute('id'), one.textContent]]
          : [],
      ),
    );
  return { element, at, press, add, run, told, state, set: () => checked(run, state) };
}
type HTMLControl = { value: string; checked: boolean; hidden: boolean };

test.each([
  ['AgentFilter!', {}],
  ['[AgentFilter!]!', []],
])('one of type %s that is left as it is has an empty value, which is tried', async (type, filter) => {
  const { run, set, state } = await open(type);
  expect([await set(), state.textContent]).toEqual([{ filter }, '']);
  expect(run).toHaveBeenCalledOnce();
});

test.each(['AgentFilter', '[AgentFilter!]', 'AgentFilter = { name: { contains: "b" } }'])(
  'one of type %s that is left as it is has no value',
  async (type) => {
    const { run, set } = await open(type);
    expect(await set()).toEqual({});
    expect(run).not.toHaveBeenCalled();
  },
);

test.each([
  ['AgentFilter = { name: { contains: "b" } }', {}],
  ['[AgentFilter!] = [{ name: { contains: "b" } }]', []],
])('of type %s, an empty value takes the place of the default where that is said', async (type, filter) => {
  const { element, set, run } = await open(type);
  const box = () => element.querySelector('#variable-filter > p > label > input') as unknown as HTMLControl;
  box().checked = true;
  expect(await set()).toEqual({ filter });
  expect(run).toHaveBeenCalledOnce();
  const again = await open(type, { filter });
  expect((again.element.querySelector('#variable-filter > p > label > input') as unknown as HTMLControl).checked).toBe(
    true,
  );
  expect(await again.set()).toEqual({ filter });
});

test.each([
  ['null', null],
  ['an empty text', ''],
  ['a number where a text belongs', 7],
])('%s in an object is shown, and removed when it is emptied', async (_what, last) => {
  const from = '2026-01-01T00:00:00Z';
  const given = { filter: { createdAt: { last, from } } };
  const { at, set } = await open('AgentFilter', given);
  expect(at('-createdAt-last').value).toBe(JSON.stringify(last));
  expect(await set()).toBe(given);
  at('-createdAt-last').value = '';
  expect(await set()).toEqual({ filter: { createdAt: { from } } });
});

test('what is refused of an item is told beside it, whichever items before it are empty', async () => {
  const { at, press, add, set, told } = await open('[AgentFilter!]');
  for (const item of [1, 2, 3]) {
    press('Add to filter');
    add(`filter ${item}`, 'createdAt');
  }
  at('-3-createdAt-from').value = 'soon';
  expect(await set()).toBeNull();
  expect(told()).toEqual({ 'variable-filter-3-createdAt-from-wrong': expect.stringContaining('must be a timestamp') });
  press('Remove filter 1');
  at('-2-createdAt-last').value = '1d';
  expect(await set()).toBeNull();
  expect(Object.keys(told())).toEqual(['variable-filter-3-createdAt-from-wrong']);
  at('-3-createdAt-from').value = '';
  at('-3-createdAt-last').value = '2d';
  expect(await set()).toEqual({ filter: [{ createdAt: { last: '1d' } }, { createdAt: { last: '2d' } }] });
  expect(told()).toEqual({});
});

test('all messages about a field are told, and cleared once it is right', async () => {
  const messages = ['filter: is too wide', 'filter.name: is odd', 'filter.name.contains: is short', 'filter: is late'];
  const more = ['filter.name.contains: is odd', 'filter: is late', 'agents: none'];
  const { at, add, set, told, state } = await open('AgentFilter', {}, [...messages, ...more]);
  add('filter', 'name');
  at('-name-contains').value = 'A';
  for (const time of ['first', 'again']) {
    expect(await set()).toBeNull();
    expect([told(), state.textContent], time).toEqual([
      {
        'variable-filter': 'filter: is too wide\nfilter: is late',
        'variable-filter-name': 'filter.name: is odd',
        'variable-filter-name-contains-wrong': 'filter.name.contains: is short\nfilter.name.contains: is odd',
      },
      'agents: none',
    ]);
  }
});

test('a field of an object is added by a button, and not when it is merely chosen', async () => {
  const { element, at, press } = await open('AgentFilter');
  const select = element.querySelector('select[aria-label="Add a field to filter"]');
  const chosen = select as unknown as HTMLControl;
  press('Add to filter');
  chosen.value = 'name';
  select?.dispatchEvent(new page.Event('change') as never);
  expect(at('-name')).toBeNull();
  press('Add to filter');
  expect(at('-name-contains')).not.toBeNull();
});
