// The token that the editor starts with: the demo owner's, or one pasted here, which is kept until the browser tab
// closes or the gateway rejects it.
const pasted = 'parley:token';
const namesNone =
  'This token names no workspace. Who is a member of several needs one that does: from the identity provider with the claim “workspace”, or from the operator, who creates it with “npm run --silent token -- --workspace wsp_… --user <email>”. If you are in none, your invitation is gone: ask an owner for another.';
const needsClaim = 'Once you are in both workspaces, your token must name one in its claim “workspace”. ';

globalThis.parleyToken = tokenOfPage();

async function tokenOfPage() {
  const token = await parleySession;
  if (token) {
    // The key of a link to a board may ask nothing else.
    if (!token.startsWith('pky_'))
      void lookAt(token).then(({ viewer }) => viewer && offerAnswers(viewer, token, false));
    return token;
  }
  const kept = sessionStorage.getItem(pasted);
  const { refusal, viewer } = kept ? await lookAt(kept) : { refusal: '' };
  if (refusal === undefined) {
    document.querySelector('#notice').hidden = true;
    if (viewer) offerAnswers(viewer, kept, true);
    // Who is no member yet has nothing to read.
    return viewer && !viewer.workspace ? undefined : kept;
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

/** Asks the bearer of a token about the invitations that they may answer. `isPasted`: another may take its place. */
function offerAnswers({ workspace, invitations }, token, isPasted) {
  const lines = invitations.map((one) => offerAnswer(one, { token, isMember: workspace !== null, isPasted }));
  if (!workspace && lines.length === 0) lines.push(namesNone);
  if (lines.length === 0) return;
  const notice = document.querySelector('#notice');
  notice.replaceChildren(...lines);
  notice.hidden = false;
  if (!workspace && isPasted) offerField('');
}

/** Whether a token names the workspace that it acts in: that of a member of several must. */
function namesWorkspace(token) {
  try {
    return 'workspace' in JSON.parse(atob(token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/')));
  } catch {
    return false;
  }
}

/** A line with an invitation, and the buttons that answer it. `isMember`: of another workspace, whose page this is. */
function offerAnswer({ id, workspaceName, role }, { token, isMember, isPasted }) {
  const line = Object.assign(document.createElement('span'), {
    className: 'invitation',
    textContent: `You are invited to ${workspaceName} as ${role}. ${isMember && !namesWorkspace(token) ? needsClaim : ''}`,
  });
  const message = document.createElement('span');
  const buttons = [
    ['Accept', 'acceptInvitation', `You are now a member of ${workspaceName}. To see it, sign in with a token for it.`],
    ['Decline', 'declineInvitation', `You have declined the invitation to ${workspaceName}.`],
  ].map(([textContent, field, done]) => {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent });
    button.setAttribute('aria-label', `${textContent} the invitation to ${workspaceName}`);
    const answering = `mutation ($id: ID!) { ${field}(input: { id: $id }) { invitation { id } } }`;
    button.addEventListener('click', () => {
      say('', true);
      sendAs(token, answering, { id })
        .then((response) => response.json())
        .then(
          ({ errors }) => (errors ? refuse(errors[0].message) : end(field, done)),
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

  /** What the page shows stays, unless its token now opens another workspace, or several and names none. */
  function end(field, text) {
    const hasAccepted = field === 'acceptInvitation';
    if (hasAccepted && !(isMember && namesWorkspace(token))) return location.reload();
    line.replaceChildren(text);
    line.tabIndex = -1;
    line.focus();
    if (hasAccepted && isPasted) offerField('');
  }

  function say(text, isSent) {
    message.textContent = text;
    for (const button of buttons) button.disabled = isSent;
  }
}

/** Adds a token field below the notice, which explains how to make one; it has one for all that it says. */
function offerField(reason) {
  if (document.querySelector('#notice form')) return;
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
