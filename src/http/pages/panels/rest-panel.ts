import { type CurlRequest, curlOf, readCurl } from './curl.ts';
import { copyButton, h } from './dom.ts';
import { type Operation, openOperation, post, type Tab, variablesOf } from './editor.ts';
import { type Failure, linesOf } from './failure.ts';
import type { Panel } from './panel.ts';

type Request = Partial<CurlRequest> & { id?: string; summary?: string; none?: string } & Failure;
type Translated = Partial<Operation> & { id?: string; summary?: string; warnings?: string[]; none?: string } & Failure;

/** Shows the REST request equivalent to the open operation, and opens a curl command as an operation. */
export function restPanel(): Panel {
  let tab: Tab | undefined;
  let asked = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const equal = h('div', { class: 'panel-part', 'aria-live': 'polite' });
  const found = h('div', { class: 'panel-part', 'aria-live': 'polite' });
  const area = h('textarea', {
    id: 'panel-curl',
    rows: '6',
    spellcheck: 'false',
    placeholder: 'curl -X POST https://…/rest/leads -H \'Content-Type: application/json\' -d \'{"name": "Ana"}\'',
    oninput: () => found.replaceChildren(),
  });
  const form = h(
    'form',
    {
      class: 'panel-part',
      onsubmit: (event: Event) => {
        event.preventDefault();
        void translate();
      },
    },
    h('label', { for: 'panel-curl' }, 'A curl of the REST service'),
    area,
    h('button', { type: 'submit', class: 'graphiql-button panel-button' }, 'Open as GraphQL'),
  );

  async function translate(): Promise<void> {
    if (!tab) return;
    try {
      const { headers, ...request } = readCurl(area.value);
      // Use the editor's bearer: the one in the curl command may belong to the old service.
      const own = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization');
      const translated = (await post('graphiql/rest/operation', tab, {
        ...request,
        headers: Object.fromEntries(own),
      })) as Translated;
      found.replaceChildren(...answerOf(translated));
      if (translated.query) await openOperation({ query: translated.query, variables: translated.variables });
    } catch (error) {
      found.replaceChildren(h('p', { class: 'panel-notes' }, (error as Error).message));
    }
  }

  async function showEqual({ query, operationName }: Tab): Promise<void> {
    const variables = variablesOf(tab ?? { variables: null });
    if (!tab || !query?.trim() || !variables) {
      equal.replaceChildren(
        h('p', {}, variables ? 'None: there is no operation.' : 'The variables are not a JSON object.'),
      );
      return;
    }
    const key = JSON.stringify([query, variables, operationName, tab.headers]);
    if (key === asked) return;
    asked = key;
    const request = (await post('graphiql/rest/request', tab, { query, variables, operationName }).catch(
      () => null,
    )) as Request | null;
    if (key !== asked) return;
    // It is asked again, since another try may succeed.
    if (!request) asked = '';
    equal.replaceChildren(...requestOf(request ?? { message: 'The gateway cannot be reached.' }));
  }

  return {
    id: 'rest',
    title: 'REST',
    icon: 'M4 8h13M13 4l4 4-4 4M20 16H7M11 12l-4 4 4 4',
    body: h(
      'div',
      { class: 'panel-body' },
      h('h3', {}, 'This operation as REST'),
      equal,
      h('h3', {}, 'REST as an operation'),
      form,
      found,
    ),
    update(changed) {
      tab = changed;
      clearTimeout(timer);
      timer = setTimeout(() => void showEqual(changed), asked ? 400 : 0);
    },
  };
}

function requestOf({ id, summary, none, method = '', url = '', headers = {}, body = '', ...failed }: Request): Node[] {
  if (none) return [h('p', {}, h('strong', {}, 'None. '), none)];
  if (!id) return failureOf(failed);
  const curl = curlOf({ method, url, headers, body }, new URL('.', location.href).href.replace(/\/$/, ''));
  return [
    h(
      'p',
      {},
      h('strong', {}, id),
      ` — ${summary}. It answers all that is selected here, in the shape of the old service.`,
    ),
    h('pre', { tabindex: '0', class: 'panel-code', 'aria-label': 'curl' }, curl),
    h(
      'div',
      { class: 'panel-exports' },
      copyButton('Copy curl', () => curl),
    ),
  ];
}

function answerOf({ id, summary, none, warnings = [], ...failed }: Translated): Node[] {
  if (none) return [h('p', {}, h('strong', {}, 'None. '), none)];
  if (!id) return failureOf(failed);
  const notes = warnings.map((warning) => h('li', {}, warning));
  return [
    h('p', {}, h('strong', {}, id), ` — ${summary}. Opened in a new tab, and not run.`),
    ...(notes.length > 0 ? [h('ul', { class: 'panel-notes' }, ...notes)] : []),
  ];
}

function failureOf(failure: Failure): Node[] {
  return [h('ul', { class: 'panel-notes' }, ...linesOf(failure).map((line) => h('li', {}, line)))];
}
