const secret = location.hash.slice(1);
const message = document.querySelector('#message');
const hint = document.querySelector('#hint');
const answers = document.querySelector('#answers');

const ownAccount =
  'If you already use this service, accept with your own account, where the invitation is listed. This link does not work for an email that already has an account.';

async function ask(query, variables) {
  const response = await fetch('graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(errors[0].message);
  return data;
}

function say(text, more = '') {
  message.textContent = text;
  hint.textContent = more;
  hint.hidden = !more;
}

function offer(label, act) {
  const button = document.createElement('button');
  button.textContent = label;
  button.addEventListener('click', () => {
    answers.hidden = true;
    say('One moment…');
    act().catch((error) => say(error.message));
  });
  answers.append(button);
}

async function start() {
  if (!secret) return say('This link is incomplete: open it exactly as you received it.');
  const { viewer } = await ask('{ viewer { invitations { id workspaceName role name email } } }');
  const [invitation] = viewer.invitations;
  if (!invitation) return say('This is not an invitation link.');
  const { id, workspaceName, role, name, email } = invitation;
  say(`${name}, you are invited to ${workspaceName} as ${role}, with the email ${email}.`, ownAccount);
  offer('Accept', async () => {
    await ask('mutation ($id: ID!) { acceptInvitation(input: { id: $id }) { invitation { id } } }', { id });
    say(`You are now a member of ${workspaceName}. Sign in with ${email} where you use this service.`);
  });
  offer('Decline', async () => {
    await ask('mutation ($id: ID!) { declineInvitation(input: { id: $id }) { invitation { id } } }', { id });
    say('You have declined the invitation.');
  });
  answers.hidden = false;
}

start().catch((error) => say(error.message));
