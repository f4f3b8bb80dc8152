// The demo owner's token for the page's scripts: `parleySession` resolves to it, or to undefined. Runs before the
// editors load, so that the key leaves the address bar at once.
const { session, notice, root = '', byLink = false } = JSON.parse(document.querySelector('#options').textContent);
const stored = 'parley:demo-csrf-token';

/** What the page was given as `Authorization`, the latest last. A page may stay open for longer than one is valid. */
const given = [];
let renewing;

globalThis.parleySession = open().catch(() => undefined);

// Whatever a script of the page sends with a token that the page was given goes with the latest, and once more with
// another if that has expired.
const send = globalThis.fetch;
globalThis.fetch = async (...asked) => {
  const request = new Request(...asked);
  if (!given.includes(request.headers.get('authorization'))) return send(request);
  request.headers.set('authorization', given.at(-1));
  const again = request.clone();
  const response = await send(request);
  if (response.status !== 401) return response;
  renewing ??= renew()
    .catch(() => undefined)
    .finally(() => {
      renewing = undefined;
    });
  if (!(await renewing)) return response;
  again.headers.set('authorization', given.at(-1));
  return send(again);
};

// A page whose scripts cannot be loaded would stay empty. A module that a script imports has no event of its own.
globalThis.parleyFailed = (error) => {
  if (error) reportError(error);
  show('A part of this page could not be loaded: check the connection, and reload the page.');
};
addEventListener('error', ({ target }) => target instanceof HTMLScriptElement && parleyFailed(), true);

// Putting a key into the URL of an open page does not reload it.
addEventListener('hashchange', () => keyOf() && location.reload());

function keyOf() {
  return new URLSearchParams(location.hash.slice(1)).get('key');
}

async function open() {
  const key = keyOf();
  // The key of a link to this page alone: it stays in the address, so that the page may be reloaded.
  if (byLink && key?.startsWith('pky_')) return key;
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
  if (!answer) return undefined;
  given.push(`Bearer ${answer.token}`);
  return answer.token;
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
