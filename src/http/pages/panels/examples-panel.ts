import type { Example, ExampleGroup } from '../examples/example.ts';
import { choice, copyButton, h } from './dom.ts';
import { jsonOf, nameOf, openOperation, run, type Tab } from './editor.ts';
import type { Panel } from './panel.ts';
import { chooseFiles } from './teach-file.ts';

/** The rows that an example may take the id of: their names, by the prefix of the id. */
const kinds: Record<string, string> = { agt: 'Agent', bas: 'Base', cnv: 'Conversation' };
/** How many rows of a kind may be chosen from, the newest. */
const maxRows = 20;

type Row = { id: string; label: string };

/** Lists the examples by purpose, and fills in ids of rows that results had. */
export function examplesPanel(groups: ExampleGroup[]): Panel {
  const rows = new Map<string, Row[]>();
  const chosen = new Map<string, string>();
  let last: string | null = null;
  let tab: Tab | undefined;
  const used = h('div', { class: 'panel-choices' });
  const tag = h('div', { class: 'panel-part', hidden: true });
  const body = h(
    'div',
    { class: 'panel-body panel-examples' },
    h(
      'p',
      { class: 'panel-hint' },
      'Choose one, and press ▶ or Ctrl-Enter to run it. What it makes is filled into the next.',
    ),
    h('div', { class: 'panel-purposes', role: 'group', 'aria-label': 'Purposes' }, ...groups.map(leadTo)),
    used,
    tag,
    ...groups.flatMap(({ title, ordered, examples }, at) => [
      h('h3', { id: headingOf(at) }, title),
      h(ordered ? 'ol' : 'ul', {}, ...examples.map((example) => itemOf(example, open))),
    ]),
  );
  body.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    run();
  });

  function open({ query, variables = {}, takes = {} }: Example): void {
    const filled = structuredClone(variables);
    for (const [path, prefix] of Object.entries(takes)) {
      const id = chosen.get(prefix);
      if (id) set(filled, path.split('.'), id);
    }
    void openOperation({ query, variables: filled }, tab);
  }

  function render(): void {
    for (const button of body.querySelectorAll<HTMLElement>('[data-example]'))
      button.ariaCurrent = tab && button.dataset.example === nameOf(tab) ? 'true' : null;
    used.replaceChildren(
      ...[...rows].map(([prefix, known]) =>
        choice(
          kinds[prefix] ?? prefix,
          known.map(({ id, label }) => [id, label]),
          chosen.get(prefix) ?? '',
          (id) => chosen.set(prefix, id),
        ),
      ),
    );
  }

  /** What a page needs to show the widget of the result, ready to be pasted. */
  function showTag(response: string): void {
    const token = /"publishableToken": "(pub_\w+)"/.exec(response)?.[1];
    tag.hidden = !token;
    if (!token) return;
    const text = `<script async src="${new URL(`widget.js?channel=${token}`, location.href)}"></script>`;
    tag.replaceChildren(
      h('p', {}, 'The widget is in a page that has this tag:'),
      h('pre', { class: 'panel-code', tabindex: '0' }, text),
      copyButton('Copy the tag', () => text),
    );
    tag.scrollIntoView({ block: 'nearest' });
  }

  return {
    id: 'examples',
    title: 'Examples',
    icon: 'M4 5h16M4 12h16M4 19h10',
    body,
    note(changed) {
      tab = changed;
      if (changed.response === last) return;
      last = changed.response;
      showTag(changed.response ?? '');
      const found = Map.groupBy(rowsOf(jsonOf(changed.response ?? '')), ({ id }) => id.slice(0, 3));
      for (const [prefix, [first, ...others]] of found) {
        if (!first) continue;
        const known = [first, ...others, ...(rows.get(prefix) ?? [])];
        rows.set(
          prefix,
          [...new Map(known.toReversed().map((row) => [row.id, row])).values()].reverse().slice(0, maxRows),
        );
        chosen.set(prefix, first.id);
      }
      render();
    },
    update: render,
  };
}

const headingOf = (at: number): string => `examples-${at}`;

/** A button that leads to the examples of a purpose, past those before. */
function leadTo({ title }: ExampleGroup, at: number): HTMLElement {
  const lead = () => {
    const heading = document.getElementById(headingOf(at));
    const panel = heading?.parentElement;
    // Not `scrollIntoView`: it would move the page, too, whose bar is above.
    if (panel) panel.scrollTop += heading.getBoundingClientRect().top - panel.getBoundingClientRect().top;
    heading?.nextElementSibling?.querySelector('button')?.focus();
  };
  return h('button', { type: 'button', class: 'graphiql-button panel-button', onclick: lead }, title);
}

function itemOf(example: Example, open: (example: Example) => void): HTMLElement {
  return h(
    'li',
    {},
    h(
      'button',
      { type: 'button', class: 'panel-run', 'data-example': example.title, onclick: () => open(example) },
      h('strong', {}, example.label),
      h('span', {}, commentOf(example.query)),
    ),
    example.files &&
      h('button', { type: 'button', class: 'graphiql-button panel-button', onclick: chooseFiles }, 'Choose…'),
  );
}

/** The comment at the start of an operation. */
function commentOf(query: string): string {
  const lines = query.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('#'));
  return lines
    .slice(0, end)
    .map((line) => line.slice(1).trim())
    .join(' ');
}

/** The rows of a result whose ids an example may take, in the order of the result. */
function rowsOf(value: unknown): Row[] {
  if (typeof value !== 'object' || value === null) return [];
  const { id, name, title, description } = value as Record<string, unknown>;
  const label = [name, title, description, id].find((text) => typeof text === 'string' && text !== '');
  const isRow = typeof id === 'string' && id.slice(0, 3) in kinds;
  return [...(isRow ? [{ id, label: String(label) }] : []), ...Object.values(value).flatMap(rowsOf)];
}

/** Sets the value at a path of nested objects. */
function set(target: Record<string, unknown>, [name, ...rest]: string[], value: unknown): void {
  if (name === undefined) return;
  if (rest.length === 0) target[name] = value;
  else set(target[name] as Record<string, unknown>, rest, value);
}
