import { h, icon, linkIcon } from '../dom.ts';
import { ask } from './page.ts';

type Shared = { id: string; name: string; title: string };
type Link = {
  id: string;
  hint: string;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  membership: { user: { email: string } } | null;
};

const linksQuery = `query LinksOfBoard($id: ID!) {
  keys(first: 100, filter: { dashboardId: $id, revoked: false }) {
    nodes { id hint createdAt expiresAt lastUsedAt membership { user { email } } }
  }
}`;
const create = 'mutation ShareBoard($input: CreateKeyInput!) { createKey(input: $input) { key { id } secret } }';
const revoke = 'mutation EndLink($id: ID!) { revokeKey(input: { id: $id }) { key { id } } }';
const lifetimes: [days: string, text: string][] = [
  ['', 'until it is revoked'],
  ['1', 'for a day'],
  ['7', 'for a week'],
  ['30', 'for 30 days'],
];

/** A button that opens a dialog with the links to a board: who has one sees the board without an account. */
export function shareButton(board: Shared): HTMLElement {
  const lifetime = h('select', { id: 'link-lifetime' });
  for (const [value, text] of lifetimes) lifetime.append(h('option', { value }, text));
  const made = h('p', { hidden: true });
  const state = h('p', { role: 'status', class: 'panel-hint' });
  const list = h('ul', { class: 'links' });
  const close = h('button', { type: 'button', onclick: () => dialog.close() }, 'Close');
  const dialog = h(
    'dialog',
    { id: 'share', 'aria-labelledby': 'share-title' },
    h('h2', { id: 'share-title' }, `Share ${board.title}`),
    h(
      'p',
      {},
      'Whoever has a link sees this board without an account, as it is then and with what you may read, and nothing else.',
    ),
    h(
      'form',
      { onsubmit: (event: Event) => (event.preventDefault(), run(makeLink)) },
      h('label', { for: lifetime.id }, 'A link is valid'),
      lifetime,
      h('button', { type: 'submit' }, 'Create a link'),
    ),
    made,
    state,
    list,
    close,
  );
  const button = h('button', { type: 'button', 'aria-haspopup': 'dialog', onclick: open }, icon(linkIcon), 'Share');
  dialog.addEventListener('close', () => {
    made.hidden = true;
    dialog.remove();
  });
  return button;

  function open(): void {
    state.textContent = '';
    document.body.append(dialog);
    dialog.showModal();
    run(showLinks);
  }

  function run(act: () => Promise<void>): void {
    act().catch((error: Error) => {
      state.textContent = error.message;
    });
  }

  async function makeLink(): Promise<void> {
    const days = Number(lifetime.value);
    const expiresAt = days > 0 ? new Date(Date.now() + days * 86_400_000).toISOString() : null;
    const input = { name: `Link to ${board.title}`, dashboardId: board.id, expiresAt };
    const answer = await ask<{ createKey: { secret: string } }>(create, { input });
    if (!answer) return;
    const value = new URL(`${board.name}#key=${answer.createKey.secret}`, location.href).href;
    const field = h('input', { id: 'link', readonly: true, value, onfocus: () => field.select() });
    const copy = () =>
      navigator.clipboard.writeText(value).then(
        () => tell('The link is copied.'),
        () => tell('The browser did not allow copying.'),
      );
    made.replaceChildren(
      h('label', { for: 'link' }, 'The link, which is shown only now'),
      field,
      h('button', { type: 'button', onclick: () => void copy() }, 'Copy'),
    );
    made.hidden = false;
    await showLinks();
    tell('The link is created.');
    field.focus();
  }

  async function showLinks(): Promise<void> {
    const answer = await ask<{ keys: { nodes: Link[] } }>(linksQuery, { id: board.id });
    const links = answer?.keys.nodes ?? [];
    list.replaceChildren(...links.map(itemOf));
    if (links.length === 0) tell('Nobody has a link to this board.');
  }

  function itemOf({ id, hint, createdAt, expiresAt, lastUsedAt, membership }: Link, at: number): HTMLElement {
    const by = membership ? ` by ${membership.user.email}` : '';
    const until = expiresAt ? `, valid until ${dateOf(expiresAt)}` : '';
    const used = lastUsedAt ? `, last used ${dateOf(lastUsedAt)}` : ', never used';
    const end = async () => {
      await ask(revoke, { id });
      made.hidden = true;
      await showLinks();
      tell('The link is revoked: it ends within seconds.');
      // The button that had the focus is gone.
      (list.querySelectorAll('button')[at] ?? close).focus();
    };
    return h(
      'li',
      {},
      h('span', {}, `…${hint}, created ${dateOf(createdAt)}${by}${until}${used}`),
      h('button', { type: 'button', 'aria-label': `Revoke the link …${hint}`, onclick: () => run(end) }, 'Revoke'),
    );
  }

  function tell(text: string): void {
    state.textContent = text;
  }
}

const dateOf = (time: string): string =>
  new Date(time).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' });
