// The token that the editor starts with: the demo owner's, or one pasted here, which is kept until the browser tab
// closes or the gateway rejects it.
const pasted = 'parley:token';

globalThis.parleyToken = tokenOfPage();

async function tokenOfPage() {
  const token = await parleySession;
  if (token) return token;
  const kept = sessionStorage.getItem(pasted);
  const refusal = kept && (await refusalOf(kept));
  if (kept && refusal === undefined) {
    document.querySelector('#notice').hidden = true;
    return kept;
  }
  sessionStorage.removeItem(pasted);
  offerField(kept ? `The gateway rejects this token. ${refusal}` : '');
}

/** Why the gateway rejects a token, undefined if it does not. If the gateway cannot be reached, the token is kept. */
async function refusalOf(token) {
  const response = await fetch(JSON.parse(document.querySelector('#options').textContent).endpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: '{"query":"{ __typename }"}',
  }).catch(() => undefined);
  if (response?.status !== 401) return undefined;
  const { errors } = await response.json().catch(() => ({}));
  return errors?.[0]?.message ?? '';
}

/** Adds a token field below the notice, which explains how to make one. */
function offerField(reason) {
  const field = Object.assign(document.createElement('input'), {
    type: 'password',
    required: true,
    autocomplete: 'off',
  });
  field.placeholder = 'Token';
  field.setAttribute('aria-label', 'Token');
  const form = document.createElement('form');
  form.append(field, Object.assign(document.createElement('button'), { textContent: 'Use this token' }), reason);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    sessionStorage.setItem(pasted, field.value.trim().replace(/^Bearer\s+/i, ''));
    location.reload();
  });
  document.querySelector('#notice').append(document.createElement('br'), form);
}
