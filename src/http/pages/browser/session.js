// The demo owner's token for the page's scripts: `parleySession` resolves to it, or to undefined. Runs before the
// editors load, so that the key leaves the address bar at once.
const { session, notice, root = '' } = JSON.parse(document.querySelector('#options').textContent);
const stored = 'parley:demo-csrf-token';

globalThis.parleySession = open().catch(() => undefined);
/** Another token, for pages that stay open for longer than one is valid. */
globalThis.parleyRenewed = () => renew().catch(() => undefined);

// Putting a key into the URL of an open page does not reload it.
addEventListener('hashchange', () => keyOf() && location.reload());

function keyOf() {
  return new URLSearchParams(location.hash.slice(1)).get('key');
}

async function open() {
  const key = keyOf();
  if (key) history.replaceState(history.state, '', location.pathname + location.search);
  if (session && key) {
    const opened = await post('session', { key });
    if (opened) localStorage.setItem(stored, opened.csrfToken);
  }
  const token = await renew();
  if (token) return token;
  show(key ? `The sign-in key in this address was already used or has expired. ${notice}` : notice);
}

async function renew() {
  const csrfToken = session && localStorage.getItem(stored);
  const answer = csrfToken && (await post('token', {}, { 'X-CSRF-Token': csrfToken }));
  return answer ? answer.token : undefined;
}

async function post(name, body, headers) {
  const response = await fetch(`${root}demo/${name}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return response.ok ? response.json() : undefined;
}

/** Shows a notice above the page, which also works without a token. */
function show(text) {
  const element = document.querySelector('#notice');
  element.textContent = text;
  element.hidden = false;
}
