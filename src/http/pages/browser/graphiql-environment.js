// Read by the editor while it loads. It requests its workers by these labels: editorWorkerService, json, graphql. The
// panels open operations in it by the global `monaco`.
globalThis.MonacoEnvironment = { globalAPI: true, getWorkerUrl: (_module, label) => `/graphiql/${label}.js` };
