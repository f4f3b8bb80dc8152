import { copyButton, h } from './dom.ts';
import { post, type Tab, variablesOf } from './editor.ts';
import { type Failure, linesOf } from './failure.ts';

type Statement = { text: string; values: unknown[] | null; plan: string[] | null };
type Explanation = { by?: string; note?: string | null; statements?: Statement[] } & Failure;

/** Shows the SQL of the open operation and its plan, on request, until `clear`. */
export function sqlPart(openTab: () => Tab | undefined): { element: HTMLElement; clear: () => void } {
  const found = h('div', { class: 'panel-part', 'aria-live': 'polite' });
  /** Counts requests: the response to an earlier one, or to one before `clear`, is not shown. */
  let request = 0;
  const show = async () => {
    const tab = openTab();
    const variables = tab && variablesOf(tab);
    if (!tab || !variables) return;
    request += 1;
    const own = request;
    const { query, operationName } = tab;
    const answer = (await post('graphiql/sql', tab, { query, variables, operationName }).catch(() => ({
      message: 'The gateway cannot be reached.',
    }))) as Explanation;
    if (own === request) found.replaceChildren(...explanationOf(answer));
  };
  const button = h(
    'button',
    { type: 'button', class: 'graphiql-button panel-button', onclick: () => void show() },
    'Show SQL and plan',
  );
  const element = h('section', { class: 'panel-part', 'aria-label': 'SQL' }, h('h3', {}, 'SQL'), button, found);
  const clear = () => {
    request += 1;
    found.replaceChildren();
  };
  return { element, clear };
}

function explanationOf({ by, note, statements, ...failure }: Explanation): Node[] {
  if (!by || !statements) {
    return [h('ul', { class: 'panel-notes' }, ...linesOf(failure).map((line) => h('li', {}, line)))];
  }
  const count = statements.length === 1 ? '1 statement' : `${statements.length} statements`;
  return [
    h(
      'p',
      {},
      by === 'resolvers' ? `${note ?? ''} ${count}.` : `One compiled query answers this operation. ${note ?? ''}`,
    ),
    ...statements.flatMap(statementOf),
  ];
}

function statementOf({ text, values, plan }: Statement, at: number): Node[] {
  const number = at + 1;
  const code = (label: string, lines: string) =>
    h('pre', { tabindex: '0', class: 'panel-code', 'aria-label': `${label} ${number}` }, lines);
  return [
    code('Statement', text),
    ...(values && values.length > 0 ? [code('Values', values.map(valueOf).join('\n'))] : []),
    ...(plan ? [code('Plan', plan.join('\n'))] : []),
    h(
      'div',
      { class: 'panel-exports' },
      copyButton('Copy SQL', () => text),
      plan && copyButton('Copy plan', () => plan.join('\n')),
    ),
  ];
}

function valueOf(value: unknown, at: number): string {
  const text = JSON.stringify(value) ?? 'null';
  return `$${at + 1} = ${text.length > 200 ? `${text.slice(0, 200)}…` : text}`;
}
