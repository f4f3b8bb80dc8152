import { say } from './dom.ts';

/** The open tab of the editor. Its texts are as typed, and may be invalid. */
export type Tab = {
  id?: string;
  query: string | null;
  variables: string | null;
  headers: string | null;
  operationName: string | null;
  response: string | null;
};
export type Operation = { query: string; variables?: Record<string, unknown> };

type Editor = {
  getModel(): { uri: { path: string } } | null;
  getValue(): string;
  setValue(text: string): void;
  updateOptions(options: { wordWrap: 'on'; fontLigatures: false }): void;
};
type Monaco = { editor: { getEditors(): Editor[]; onDidCreateEditor(run: (editor: Editor) => void): void } };

/** The event of the document when an operation was opened. */
export const openedEvent = 'parley:opened';

/** How many operations were opened: of several that wait for the editors, the last is. */
let count = 0;

/** Opens an operation without running it: in a new tab of the editor, unless the given tab has the same one. */
export async function openOperation({ query, variables }: Operation, tab?: Tab): Promise<void> {
  const own = ++count;
  await editorOf('variables.json');
  if (own !== count) return;
  if (tab?.query !== query) {
    document.querySelector<HTMLElement>('.graphiql-tab-add')?.click();
    // Wait until GraphiQL has emptied the editors for the new tab.
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
  }
  set(await editorOf('operation.graphql'), query);
  (await editorOf('variables.json')).setValue(
    variables && Object.keys(variables).length > 0 ? JSON.stringify(variables, null, 2) : '',
  );
  document.dispatchEvent(new Event(openedEvent));
}

const loadedWithinMs = 30_000;

/** The editor of a file, once it is there: it is loaded after the page. */
async function editorOf(file: string): Promise<Editor> {
  const until = performance.now() + loadedWithinMs;
  for (;;) {
    const { monaco } = globalThis as unknown as { monaco?: Monaco };
    const editor = monaco?.editor.getEditors().find((one) => one.getModel()?.uri.path.endsWith(file));
    if (editor) return editor;
    if (performance.now() > until) {
      say('The editor could not be loaded: load the page again.');
      throw new Error(`GraphiQL has no editor of ${file}.`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/**
 * Shows texts as they are: long lines are wrapped as the response's, since comments and ids would be cut off where a
 * panel is open, and no letters become a sign, as `6x9` in an id would.
 */
export async function showAsWritten(): Promise<void> {
  await editorOf('variables.json');
  const { monaco } = globalThis as unknown as { monaco: Monaco };
  const show = (editor: Editor) => editor.updateOptions({ wordWrap: 'on', fontLigatures: false });
  for (const editor of monaco.editor.getEditors()) show(editor);
  monaco.editor.onDidCreateEditor(show);
}

const runButton = '.graphiql-execute-button';
/** Runs the operation of the open tab, once GraphiQL has noticed it. */
export const run = (): void => document.querySelector<HTMLElement>(runButton)?.click();
const noticedWithinMs = 5_000;
/** The text that GraphiQL has not noticed yet, and whether it is to be run then. */
let pending: { query: string; isRun: boolean } | undefined;

/** GraphiQL notices a change some time later, and would run the operation of before until then. */
function set(editor: Editor, query: string): void {
  if (editor.getValue() === query) return;
  editor.setValue(query);
  const change = { query: editor.getValue(), isRun: false };
  pending = change;
  // What is in the editor by then is not what was to be run.
  setTimeout(() => pending === change && (pending = undefined), noticedWithinMs);
}

/** To be called with the open tab when it has changed. */
export function tabChanged({ query }: Tab): void {
  // GraphiQL opens a tab beyond the end of its strip.
  setTimeout(
    () => document.querySelector('.graphiql-tab-active')?.scrollIntoView({ inline: 'nearest', block: 'nearest' }),
    0,
  );
  if (query === pending?.query) noticed();
}

function noticed(): void {
  const isRun = pending?.isRun;
  pending = undefined;
  // GraphiQL tells of the change before it has rendered it.
  if (isRun) setTimeout(run, 0);
}

/** Lets a click or a key that runs the operation wait until GraphiQL has noticed which. */
export function waitToRun(): void {
  const wait = (event: Event, runs: boolean) => {
    if (!pending || !runs) return;
    event.preventDefault();
    event.stopPropagation();
    pending.isRun = true;
  };
  const isKey = ({ key, ctrlKey, metaKey }: KeyboardEvent) => key === 'Enter' && (ctrlKey || metaKey);
  document.addEventListener(
    'click',
    (event) => wait(event, (event.target as Element).closest(runButton) !== null),
    true,
  );
  document.addEventListener('keydown', (event) => wait(event, isKey(event)), true);
}

/** The variables of a tab; undefined if they are not a JSON object. */
export function variablesOf({ variables }: Pick<Tab, 'variables'>): Record<string, unknown> | undefined {
  const value = jsonOf(variables?.trim() || '{}');
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** The name of a tab's operation; without one, its first field. */
export function nameOf({ operationName, query }: Pick<Tab, 'operationName' | 'query'>): string {
  const text = query ?? '';
  const name = operationName ?? /\b(?:query|mutation|subscription)\s+(\w+)/.exec(text)?.[1];
  return name ?? /\{\s*(?:\w+\s*:\s*)?(\w+)/.exec(text)?.[1] ?? 'Operation';
}

/** Parses JSON; undefined if it is invalid. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Posts to the gateway with the tab's headers, and so with the bearer of the operation. */
export async function post(path: string, { headers }: Pick<Tab, 'headers'>, body: unknown): Promise<unknown> {
  const given = variablesOf({ variables: headers }) ?? {};
  const response = await fetch(path, {
    method: 'POST',
    headers: { ...(given as Record<string, string>), 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json();
}
