const { token, ...options } = JSON.parse(document.querySelector('#options').textContent);

// The editor asks for its workers by these labels: editorWorkerService, json, graphql.
globalThis.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_module, label) => `/graphiql/${label}.js` };

// A demo token is fresh with each load and is not kept, so that yesterday's is never sent; a caller's own one is kept
// only when asked for in the settings.
const headers = token ? JSON.stringify({ Authorization: `Bearer ${token}` }, null, 2) : undefined;

YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), {
  ...options,
  ...(headers && { initialHeaders: headers, defaultHeaders: headers }),
  shouldPersistHeaders: headers ? false : undefined,
  // Else every keystroke goes to the address bar, and each reload opens its tab once more.
  onEditQuery: () => {},
});
