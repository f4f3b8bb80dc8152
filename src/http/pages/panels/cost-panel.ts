import { h } from './dom.ts';
import { post, type Tab, variablesOf } from './editor.ts';
import { type Failure, linesOf } from './failure.ts';
import type { Panel } from './panel.ts';
import { sqlPart } from './sql-part.ts';

type Part = { path: string; cost: number; ownCost: number; rows: number | null; advice: string | null };
type Budget = { budget: string | null; limit: number | null; remaining: number | null };
type OperationCost = {
  cost: number;
  maxCost: number;
  refusal: string | null;
  rateLimit: Budget;
  parts: Part[];
};
type Answer = { data?: { operationCost: OperationCost | null } | null; errors?: Failure[] };

const unreachable: Answer = { errors: [{ message: 'The gateway cannot be reached.' }] };

const query = `query OperationCost($operation: OperationInput!) {
  operationCost(operation: $operation) {
    cost maxCost refusal rateLimit { budget limit remaining } parts { path cost ownCost rows advice }
  }
}`;

/** Shows what the open operation would cost, without running it, and with `sql` its statements on request. */
export function costPanel({ sql }: { sql: boolean }): Panel {
  let open: Tab | undefined;
  let priced = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const found = h('div', { class: 'panel-part panel-priced', 'aria-live': 'polite' });
  const statements = sql ? sqlPart(() => open) : null;
  const body = h('div', { class: 'panel-body' }, found, statements?.element);

  async function show(tab: Tab): Promise<void> {
    const variables = variablesOf(tab);
    if (!tab.query?.trim() || !variables) {
      priced = '';
      const text = variables ? 'There is no operation to price.' : 'The variables are not a JSON object.';
      found.replaceChildren(h('p', { class: 'panel-hint' }, text));
      return;
    }
    const operation = { query: tab.query, variables, operationName: tab.operationName };
    const key = JSON.stringify([operation, tab.headers]);
    if (key === priced) return;
    priced = key;
    const answer = (await post('graphql', tab, { query, variables: { operation } }).catch(() => null)) as Answer | null;
    if (key !== priced) return;
    // It is asked again, since another try may succeed.
    if (!answer) priced = '';
    const { data, errors = [] } = answer ?? unreachable;
    found.replaceChildren(...(data?.operationCost ? costNodes(data.operationCost) : failureOf(errors)));
  }

  return {
    id: 'cost',
    title: 'Cost',
    icon: 'M12 3v18M17 7.5C16.5 6 14.7 5.5 12 5.5c-3 0-4.7 1.3-4.7 3.2 0 4.3 9.7 2.3 9.7 6.6 0 2-2 3.2-5 3.2s-4.7-1-5.2-2.8',
    body,
    update(tab) {
      if (open?.query !== tab.query || open.variables !== tab.variables) statements?.clear();
      open = tab;
      clearTimeout(timer);
      timer = setTimeout(() => void show(tab), priced ? 400 : 0);
    },
  };
}

function costNodes({ cost, maxCost, refusal, rateLimit, parts }: OperationCost): Node[] {
  const advised = parts.filter(({ advice }) => advice !== null);
  return [
    h(
      'dl',
      { class: 'panel-numbers' },
      number('Cost', count(cost), `of at most ${count(maxCost)} for one operation`),
      number('Budget', ...budgetOf(rateLimit)),
    ),
    ...warningOf(cost, refusal, rateLimit),
    ...(advised.length > 0
      ? [
          h('h3', {}, 'Advice'),
          h(
            'ul',
            { class: 'panel-notes' },
            ...advised.map(({ path, advice }) => h('li', {}, h('strong', {}, path), ` — ${advice}`)),
          ),
        ]
      : []),
    ...(parts.length > 0 ? [tableOf(parts, cost)] : []),
  ];
}

function number(label: string, value: string, note: string): HTMLElement {
  return h('div', { class: 'panel-number' }, h('dt', {}, label), h('dd', {}, value), h('dd', { class: 'note' }, note));
}

function budgetOf({ budget, limit, remaining }: Budget): [value: string, note: string] {
  if (remaining === null || limit === null) return ['No limit', 'on the cost per minute of this token'];
  const whose = budget === 'workspace-cost' ? 'the workspace' : 'this token';
  return [count(remaining), `left of ${count(limit)} for ${whose} this minute`];
}

function warningOf(cost: number, refusal: string | null, { remaining, limit }: Budget): Node[] {
  const late =
    limit !== null && cost > limit
      ? 'It costs more than the budget of a minute, and would be refused.'
      : 'It costs more than is left of the budget this minute, and would be refused until the next.';
  const text = refusal ? `It would be refused: ${refusal}` : remaining !== null && cost > remaining ? late : null;
  return text === null ? [] : [h('p', { class: 'panel-notes', role: 'alert' }, text)];
}

/** The fields as a tree, with those that make up most of the cost marked. */
function tableOf(parts: Part[], whole: number): HTMLElement {
  const rows = parts.map(({ path, cost, rows: read }) => {
    const names = path.split('.');
    const field = h('th', { scope: 'row', title: path }, names.at(-1));
    field.style.paddingInlineStart = `${0.6 + 0.9 * Math.min(names.length - 1, 8)}rem`;
    const isMain = whole > 20 && cost >= whole / 2;
    return h(
      'tr',
      { class: isMain ? 'panel-main' : null },
      field,
      h('td', { class: 'number' }, count(cost)),
      h('td', { class: 'number' }, read === null ? '' : count(read)),
    );
  });
  return h(
    'div',
    { class: 'panel-rows', tabindex: '0', role: 'region', 'aria-label': 'Cost by field' },
    h(
      'table',
      { class: 'panel-costs' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          h('th', { scope: 'col' }, 'Field'),
          h('th', { scope: 'col', class: 'number' }, 'Cost'),
          h('th', { scope: 'col', class: 'number' }, 'Rows read'),
        ),
      ),
      h('tbody', {}, ...rows),
    ),
  );
}

function failureOf(errors: Failure[]): Node[] {
  return [
    h('p', { class: 'panel-hint' }, 'The operation cannot be priced:'),
    h('ul', { class: 'panel-notes' }, ...errors.flatMap(linesOf).map((line) => h('li', {}, line))),
  ];
}

const count = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 1 });
