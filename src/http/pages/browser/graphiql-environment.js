// The editor reads this while it loads. Its worker labels are editorWorkerService, json and graphql. The
// panels open operations in it through the global `monaco`.
globalThis.MonacoEnvironment = { globalAPI: true, getWorkerUrl: (_module, label) => `graphiql/${label}.js` };
