const secret = location.hash.slice(1);
const message = document.querySelector('#message');
const hint = document.querySelector('#hint');
const answers = document.querySelector('#answers');

const ownAccount =
  'If you use this service already, accept with your own account instead: its invitations are there. This link does not work for an email that is known.';

async function ask(query, variables) {
  const response = await fetch('/graphql', {
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
  if (!secret) return say('This address is not whole: open the link as it was given to you.');
  const { viewer } = await ask('{ viewer { invitations { id workspaceName role name email } } }');
  const [invitation] = viewer.invitations;
  if (!invitation) return say('This is not the link of an invitation.');
  const { id, workspaceName, role, name, email } = invitation;
  say(`${name}, you are invited to ${workspaceName} as ${role}, by the email ${email}.`, ownAccount);
  offer('Accept', async () => {
    await ask('mutation ($id: ID!) { acceptInvitation(input: { id: $id }) { invitation { id } } }', { id });
    say(`You are a member of ${workspaceName} now. Sign in with ${email} where you use this service.`);
  });
  offer('Decline', async () => {
    await ask('mutation ($id: ID!) { declineInvitation(input: { id: $id }) { invitation { id } } }', { id });
    say('You have declined.');
  });
  answers.hidden = false;
}

start().catch((error) => say(error.message));
