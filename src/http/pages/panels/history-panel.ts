import { h } from './dom.ts';
import { jsonOf, nameOf, openOperation } from './editor.ts';
import type { Panel } from './panel.ts';

/** An operation that was run. Headers are left out: they contain the bearer. */
type Entry = { query: string; variables: string; name: string; at: number; kept?: boolean };

const storedKey = 'parley:history';
/** Operations with a star are kept beside these. */
const maxEntries = 50;
/** Longer operations are not stored, so that the browser's storage does not fill up. */
const maxLength = 100_000;

/** Lists the operations that were run in this browser. */
export function historyPanel(): Panel {
  const body = h('div', { class: 'panel-body' });
  let last: { id: string | undefined; response: string | null } | undefined;
  let isOpen = false;

  function change(make: (entries: Entry[]) => Entry[]): void {
    store(make(read()));
    if (isOpen) render();
  }

  function render(): void {
    const entries = read();
    const focused = body.contains(document.activeElement) ? document.activeElement?.getAttribute('data-key') : null;
    if (entries.length === 0) {
      body.replaceChildren(
        h(
          'p',
          { class: 'panel-hint' },
          'Operations that you run are listed here. They are stored in this browser only, without headers.',
        ),
      );
      return;
    }
    body.replaceChildren(
      h('ul', { class: 'panel-history' }, ...entries.map((entry) => itemOf(entry, change))),
      h(
        'div',
        { class: 'panel-exports' },
        h(
          'button',
          {
            type: 'button',
            class: 'graphiql-button panel-button',
            'data-key': 'clear',
            onclick: () => change((all) => all.filter(({ kept }) => kept)),
          },
          'Clear the history',
        ),
      ),
    );
    const again = [...body.querySelectorAll<HTMLElement>('[data-key]')].find((one) => one.dataset.key === focused);
    (again ?? (focused === null ? null : body.querySelector<HTMLElement>('button')))?.focus();
  }

  return {
    id: 'history',
    title: 'History',
    icon: 'M3 12a9 9 0 1 0 3-6.7L3 8M3 3v5h5M12 7v5l3 2',
    body,
    update() {
      isOpen = true;
      if (body.childElementCount === 0) render();
    },
    redraw: render,
    note({ id, query, variables, operationName, response }) {
      const isNew =
        last !== undefined &&
        (last.id === undefined || last.id === id) &&
        response !== last.response &&
        Boolean(response?.trim());
      last = { id, response };
      if (!isNew || !query?.trim() || query.length + (variables?.length ?? 0) > maxLength) return;
      const entry = { query, variables: variables ?? '', name: nameOf({ operationName, query }), at: Date.now() };
      change((entries) => {
        const same = entries.find((one) => isSame(one, entry));
        return [{ ...entry, ...(same?.kept && { kept: true }) }, ...entries.filter((one) => one !== same)];
      });
    },
  };
}

const isSame = (one: Entry, other: Entry) => one.query === other.query && one.variables === other.variables;

function itemOf(entry: Entry, change: (make: (entries: Entry[]) => Entry[]) => void): HTMLElement {
  const { query, variables, name, at, kept = false } = entry;
  const given = jsonOf(variables.trim() || '{}') as Record<string, unknown> | undefined;
  const button = (label: string, text: string, key: string, onclick: () => void, pressed?: boolean) =>
    h(
      'button',
      {
        type: 'button',
        class: 'panel-close',
        'aria-label': `${label}: ${name}`,
        title: label,
        'data-key': `${key} ${at}`,
        'aria-pressed': pressed === undefined ? null : String(pressed),
        onclick,
      },
      text,
    );
  return h(
    'li',
    {},
    h(
      'button',
      {
        type: 'button',
        class: 'panel-run',
        title: query.slice(0, 1_000),
        onclick: () => void openOperation({ query, ...(given && { variables: given }) }),
      },
      h('strong', {}, name),
      h('time', { datetime: new Date(at).toISOString() }, new Date(at).toLocaleString()),
    ),
    button(
      'Keep',
      kept ? '★' : '☆',
      'keep',
      () => change((all) => all.map((one) => (isSame(one, entry) ? { ...one, kept: !kept } : one))),
      kept,
    ),
    button('Remove', '×', 'remove', () => change((all) => all.filter((one) => !isSame(one, entry)))),
  );
}

/** Newest first. */
function read(): Entry[] {
  const stored = jsonOf(localStorage.getItem(storedKey) ?? '[]');
  return Array.isArray(stored) ? (stored as Entry[]) : [];
}

function store(entries: Entry[]): void {
  const recent = entries.filter(({ kept }) => !kept).slice(0, maxEntries);
  const all = entries.filter((entry) => entry.kept || recent.includes(entry));
  try {
    localStorage.setItem(storedKey, JSON.stringify(all));
  } catch {
    // The storage is full: the history stays as it was.
  }
}
