const { description } = JSON.parse(document.querySelector('#options').textContent);

const { createApiReference } = globalThis.Scalar;

void start();

/** Everything that would contact another server is disabled; the page's policy forbids it as well. */
async function start() {
  const token = await parleySession;
  createApiReference('#root', {
    url: description,
    baseServerURL: location.origin,
    telemetry: false,
    withDefaultFonts: false,
    proxyUrl: '',
    showDeveloperTools: 'never',
    hideClientButton: true,
    agent: { disabled: true },
    mcp: { disabled: true },
    persistAuth: false,
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    metaData: { title: document.title },
    ...(token && { authentication: { preferredSecurityScheme: 'bearer', securitySchemes: { bearer: { token } } } }),
  });
}
