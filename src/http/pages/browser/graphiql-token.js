// The token that the editor starts with: the demo owner's, or one pasted here, which is kept until the browser tab
// closes or the gateway rejects it.
const pasted = 'parley:token';

globalThis.parleyToken = tokenOfPage();

async function tokenOfPage() {
  const token = await parleySession;
  if (token) return token;
  const kept = sessionStorage.getItem(pasted);
  const { refusal, viewer } = kept ? await lookAt(kept) : { refusal: '' };
  if (refusal === undefined) {
    const notice = document.querySelector('#notice');
    // Who is no member yet has nothing to read.
    const isInvited = viewer && !viewer.workspace;
    if (isInvited) {
      const lines = viewer.invitations.map((one) => offerAnswer(one, kept));
      notice.replaceChildren(...(lines.length > 0 ? lines : ['Your invitation is gone: ask an owner for another.']));
    }
    notice.hidden = !isInvited;
    return isInvited ? undefined : kept;
  }
  sessionStorage.removeItem(pasted);
  offerField(kept ? `The gateway rejects this token. ${refusal}` : '');
}

/**
 * Why the gateway rejects a token, undefined if it does not, and whose it is. If the gateway cannot be reached, the
 * token is kept.
 */
async function lookAt(token) {
  const asked = '{ viewer { workspace { id } invitations { id workspaceName role } } }';
  const response = await sendAs(token, asked).catch(() => undefined);
  const { data, errors } = (await response?.json().catch(() => undefined)) ?? {};
  return response?.status === 401 ? { refusal: errors?.[0]?.message ?? '' } : { viewer: data?.viewer };
}

const sendAs = (token, query, variables) =>
  fetch(JSON.parse(document.querySelector('#options').textContent).endpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });

/** A line with an invitation, and the buttons that answer it. */
function offerAnswer({ id, workspaceName, role }, token) {
  const line = Object.assign(document.createElement('span'), {
    className: 'invitation',
    textContent: `You are invited to ${workspaceName} as ${role}. `,
  });
  const message = document.createElement('span');
  const buttons = [
    ['Accept', 'acceptInvitation'],
    ['Decline', 'declineInvitation'],
  ].map(([textContent, field]) => {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent });
    button.setAttribute('aria-label', `${textContent} the invitation to ${workspaceName}`);
    const answering = `mutation ($id: ID!) { ${field}(input: { id: $id }) { invitation { id } } }`;
    button.addEventListener('click', () => {
      say('', true);
      sendAs(token, answering, { id })
        .then((response) => response.json())
        .then(
          ({ errors }) => (errors ? refuse(errors[0].message) : location.reload()),
          () => refuse('The gateway did not answer: try again.'),
        );
    });
    const refuse = (reason) => {
      say(reason, false);
      button.focus();
    };
    return button;
  });
  line.append(buttons[0], ' ', buttons[1], message);
  return line;

  function say(text, isSent) {
    message.textContent = text;
    for (const button of buttons) button.disabled = isSent;
  }
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
