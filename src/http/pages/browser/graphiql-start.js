const {
  session: _session,
  notice: _notice,
  examples,
  links,
  sql,
  ...options
} = JSON.parse(document.querySelector('#options').textContent);

// The editor takes the focus itself; the address keeps its fragment, which may be an operation.
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  document.querySelector('.graphiql-query-editor textarea')?.focus();
});

// Fetches a new demo token on each load without persisting it, so that a stale one is never sent. A token that a user
// enters is persisted only if GraphiQL's settings say so.
void start().catch(parleyFailed);
async function start() {
  const token = await parleyToken;
  const headers = token ? JSON.stringify({ Authorization: `Bearer ${token}` }, null, 2) : undefined;
  const linked = linkedOperation();
  const tab = linked ?? activeTab();
  const { searchDocs, startPanels } = await import('./panels/main.js');
  // The editor's script calls it by this name: see src/http/pages/graphiql-script.ts.
  globalThis.parleySearchDocs = searchDocs;
  const update = startPanels({ ...noTab, ...tab, headers }, { examples, links, sql });
  YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), {
    ...options,
    // By GET, which Yoga's fetcher would use for a subscription, nothing may be written.
    method: 'POST',
    // With tabs stored from an earlier visit, GraphiQL opens another for the initial query itself.
    ...(linked && { defaultTabs: [linked, ...options.defaultTabs] }),
    // Without a token the schema request would fail, with an unhelpful message.
    ...(headers ? { initialHeaders: headers, defaultHeaders: headers } : { schema: null }),
    shouldPersistHeaders: headers ? false : undefined,
    // GraphiQL fills its editors from these, not from the tab it opens with.
    initialQuery: tab.query ?? '',
    initialVariables: tab.variables ?? '',
    defaultEditorToolsVisibility: 'variables',
    // By default, every keystroke updates the URL, and each reload opens the tab again.
    onEditQuery: () => {},
    // A tab whose headers were not edited has none of its own.
    onTabChange: ({ tabs, activeTabIndex }) => {
      const changed = tabs[activeTabIndex];
      update({ ...changed, headers: changed.headers ?? headers });
    },
  });
}

const noTab = { query: null, variables: null, operationName: null, response: null };

/** Takes the operation out of the URL's query or fragment; undefined if there is none. */
function linkedOperation() {
  const [search, hash] = [new URLSearchParams(location.search), new URLSearchParams(location.hash.slice(1))];
  const given = hash.has('query') ? hash : search;
  const query = given.get('query');
  if (!query) return undefined;
  history.replaceState(history.state, '', location.pathname);
  return { query, variables: given.get('variables') ?? '' };
}

/** The tab that was last open, or else the first example. */
function activeTab() {
  try {
    const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState'));
    return tabs[activeTabIndex];
  } catch {
    return options.defaultTabs[0];
  }
}
