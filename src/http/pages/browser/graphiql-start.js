const { session: _session, notice: _notice, ...options } = JSON.parse(document.querySelector('#options').textContent);

// The editor requests its workers by these labels: editorWorkerService, json, graphql.
globalThis.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_module, label) => `/graphiql/${label}.js` };

// A demo token is fetched anew on each load and not persisted, so that a stale one is never sent; a token that the user
// enters is only persisted if the settings say so.
void start();
async function start() {
  const token = await parleyToken;
  const headers = token ? JSON.stringify({ Authorization: `Bearer ${token}` }, null, 2) : undefined;
  const tab = activeTab();
  YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), {
    ...options,
    // Without a token the schema request would fail, with no more explanation than that.
    ...(headers ? { initialHeaders: headers, defaultHeaders: headers } : { schema: null }),
    shouldPersistHeaders: headers ? false : undefined,
    // GraphiQL fills its editors from these, not from the tab it opens with.
    initialQuery: tab.query ?? '',
    initialVariables: tab.variables ?? '',
    defaultEditorToolsVisibility: 'variables',
    // By default, every keystroke updates the URL, and each reload opens the tab once more.
    onEditQuery: () => {},
  });
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
