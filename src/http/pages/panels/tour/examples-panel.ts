import type { Example, ExampleGroup } from '../../examples/example.ts';
import { choice, copyButton, h } from '../dom.ts';
import { nameOf, openOperation, run, type Tab } from '../editor.ts';
import type { Panel } from '../panel.ts';
import { isKnownKind, knownRows } from './known-rows.ts';
import { chooseFiles } from './teach-file.ts';

/** Lists the examples by purpose, and fills in ids of rows that results had. */
export function examplesPanel(groups: ExampleGroup[]): Panel {
  const rows = knownRows(idsOf(groups), () => render());
  let last: string | null | undefined;
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

  async function open({ query, variables = {}, takes = {} }: Example): Promise<void> {
    const filled = structuredClone(variables);
    for (const [path, prefix] of Object.entries(takes)) {
      const id = await rows.idOf(prefix);
      if (id) set(filled, path.split('.'), id);
    }
    await openOperation({ query, variables: filled }, tab);
  }

  function render(): void {
    for (const button of body.querySelectorAll<HTMLElement>('[data-example]'))
      button.ariaCurrent = tab && button.dataset.example === nameOf(tab) ? 'true' : null;
    used.replaceChildren(
      ...rows.choices().map(([prefix, name, { rows: known, chosen }]) =>
        choice(
          name,
          known.map(({ id, label }) => [id, label]),
          chosen,
          (id) => rows.choose(prefix, id),
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
      void rows.note(changed);
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

function itemOf(example: Example, open: (example: Example) => Promise<void>): HTMLElement {
  return h(
    'li',
    {},
    h(
      'button',
      { type: 'button', class: 'panel-run', 'data-example': example.title, onclick: () => void open(example) },
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

/** The ids that examples have before anything was made: of what the demo has. */
const idsOf = (groups: ExampleGroup[]): string[] => [
  ...new Set(
    groups
      .flatMap(({ examples }) => examples)
      .flatMap(({ variables = {}, takes = {} }) => Object.keys(takes).map((path) => get(variables, path.split('.'))))
      .filter((id) => typeof id === 'string' && isKnownKind(id)) as string[],
  ),
];

/** Sets the value at a path of nested objects. */
function set(target: Record<string, unknown>, [name, ...rest]: string[], value: unknown): void {
  if (name === undefined) return;
  if (rest.length === 0) target[name] = value;
  else set(target[name] as Record<string, unknown>, rest, value);
}

const get = (from: unknown, path: string[]): unknown =>
  path.reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], from);
