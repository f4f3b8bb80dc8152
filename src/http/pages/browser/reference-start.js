const { description } = JSON.parse(document.querySelector('#options').textContent);

/** The address of the gateway, which may be below a path. */
const gateway = new URL('.', location.href).href.replace(/\/$/, '');

const { createApiReference } = globalThis.Scalar;

// All but curl and fetch: the description has samples of a typed client and of GraphQL.
const languages =
  'c clojure csharp dart fsharp go http java julia kotlin node objc ocaml php powershell python r ruby rust swift';
const hiddenClients = {
  ...Object.fromEntries(languages.split(' ').map((language) => [language, true])),
  shell: ['httpie', 'wget'],
  js: ['axios', 'jquery', 'ofetch', 'xhr'],
};

void start();

/** Everything that would contact another server is disabled; the page's policy forbids it as well. */
async function start() {
  const [token, examples, loaded] = await Promise.all([
    parleySession,
    import('./examples.js'),
    fetch(description).then((response) => response.json()),
  ]);
  askBeforeDeleting(examples.destroys);
  const ids = token ? await idsOfWorkspace(token, examples) : {};
  createApiReference('#root', {
    content: examples.described(loaded, ids, gateway),
    baseServerURL: gateway,
    telemetry: false,
    withDefaultFonts: false,
    proxyUrl: '',
    showDeveloperTools: 'never',
    hideClientButton: true,
    agent: { disabled: true },
    mcp: { disabled: true },
    persistAuth: false,
    documentDownloadType: 'json',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    hiddenClients,
    metaData: { title: document.title },
    ...(token && { authentication: { preferredSecurityScheme: 'bearer', securitySchemes: { bearer: { token } } } }),
  });
}

/** The viewer sends at once; a request that deletes is only sent after a person agreed to what it deletes. */
function askBeforeDeleting(destroys) {
  const { fetch } = globalThis;
  globalThis.fetch = (...given) => {
    const { method, url } = new Request(...given);
    const question = `${method} ${decodeURI(new URL(url).pathname)} deletes for good. Send it?`;
    if (destroys(method) && !confirm(question)) return Promise.reject(new Error('Not sent.'));
    return fetch(...given);
  };
}

/** Real ids for the examples of requests; none if the gateway does not answer. */
async function idsOfWorkspace(token, { exampleRows, idsOf }) {
  try {
    const response = await fetch('graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify({ query: exampleRows }),
    });
    const { data } = await response.json();
    return idsOf(data ?? {});
  } catch {
    return {};
  }
}
