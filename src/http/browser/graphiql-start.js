const { session: _session, notice: _notice, ...options } = JSON.parse(document.querySelector('#options').textContent);

// The editor asks for its workers by these labels: editorWorkerService, json, graphql.
globalThis.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_module, label) => `/graphiql/${label}.js` };

// A demo token is fresh with each load and is not kept, so that yesterday's is never sent; a caller's own one is kept
// only when asked for in the settings.
void start();
async function start() {
  const token = await parleyToken;
  const headers = token ? JSON.stringify({ Authorization: `Bearer ${token}` }, null, 2) : undefined;
  const tab = activeTab();
  YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), {
    ...options,
    // Without a token it would ask in vain for the schema, and say no more than that it got none.
    ...(headers ? { initialHeaders: headers, defaultHeaders: headers } : { schema: null }),
    shouldPersistHeaders: headers ? false : undefined,
    // GraphiQL fills its editors from these and not from the tab that it opens with.
    initialQuery: tab.query ?? '',
    initialVariables: tab.variables ?? '',
    defaultEditorToolsVisibility: 'variables',
    // Else every keystroke goes to the address bar, and each reload opens its tab once more.
    onEditQuery: () => {},
  });
}

/** The tab that was open last, else the first example. */
function activeTab() {
  try {
    const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState'));
    return tabs[activeTabIndex];
  } catch {
    return options.defaultTabs[0];
  }
}
