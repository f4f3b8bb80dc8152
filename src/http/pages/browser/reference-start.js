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

/** What a person agrees to before a request is sent. */
const warnings = { deletes: 'deletes for good', overwrites: 'overwrites what is stored' };

// The address keeps its fragment, which names the operation that is seen.
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  const main = document.querySelector('main');
  main?.setAttribute('tabindex', '-1');
  main?.focus();
});

void start().catch(parleyFailed);
nameCopyButtons();

/** Everything that would contact another server is disabled; the page's policy forbids it as well. */
async function start() {
  const loading = fetch(description).then((response) => response.json());
  const { described, effectOn, exampleRows, idsOf } = await import('./examples.js');
  const [token, loaded] = await Promise.all([parleySession, loading]);
  askFirst(effectOn);
  const ids = token ? await idsOfWorkspace(token, { exampleRows, idsOf }) : {};
  createApiReference('#root', {
    content: described(loaded, ids, gateway),
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

/** The viewer sends at once; a request that deletes or overwrites is only sent after a person agreed to that. */
function askFirst(effectOn) {
  const { fetch } = globalThis;
  globalThis.fetch = (...given) => {
    // A request's body can be read once, and this reads that of a request which was given.
    const request = new Request(...given);
    const { method, url } = request;
    const path = decodeURI(new URL(url).pathname);
    const warning = warnings[effectOn(method, path)];
    if (warning && !confirm(`${method} ${path} ${warning}. Send it?`)) return Promise.reject(new Error('Not sent.'));
    return fetch(request);
  };
}

/** The viewer's buttons that copy code have a picture and no name. */
function nameCopyButtons() {
  const name = () => {
    for (const button of document.querySelectorAll('.scalar-code-copy:not([aria-label])'))
      button.setAttribute('aria-label', 'Copy');
  };
  new MutationObserver(name).observe(document.querySelector('#root'), { childList: true, subtree: true });
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
