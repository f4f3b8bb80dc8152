import { isDarkPage } from './charts/draw.ts';
import { h, icon, linkIcon, say } from './dom.ts';
import { openedEvent, type Tab } from './editor.ts';
import type { PageLinks, Panel } from './panel.ts';

const openedKey = 'parley:panel';
const widthKey = 'parley:panel-width';
const [least, most] = [320, 900];
/** The width at first: the editor and its response keep theirs. */
const usual = () => Math.min(480, innerWidth - 980);
/** Below this width of the window, no panel opens by itself: it would leave the editor too little. */
const roomy = 1_200;

type Bar = { links: PageLinks; buttons: HTMLElement[] };

/**
 * Creates the bar above the editor and the panels beside it; one is open at most, the first one on a first visit.
 * Returns their update function.
 */
export function dock(panels: Panel[], first: Tab, { links, buttons: others }: Bar): (tab: Tab) => void {
  let tab = first;
  let open: Panel | undefined;
  const title = h('h2', { id: 'panel-title' });
  const content = h('div', { class: 'panel-content' });
  const aside = h(
    'aside',
    { id: 'panels', class: 'graphiql-container', 'aria-labelledby': 'panel-title', tabindex: '-1', hidden: true },
    h(
      'header',
      {},
      title,
      h(
        'button',
        { type: 'button', class: 'panel-close', 'aria-label': 'Close the panel', onclick: () => toggle(undefined) },
        icon('M6 6l12 12M18 6L6 18'),
      ),
    ),
    content,
  );
  const handle = resizeHandle(aside);
  const buttons = new Map(
    panels.map((panel) => [
      panel,
      h(
        'button',
        {
          type: 'button',
          class: 'bar-button',
          'aria-expanded': 'false',
          'aria-controls': 'panels',
          onclick: () => {
            toggle(open === panel ? undefined : panel);
            // The panel stands after the editors, a dozen stops of the keyboard away.
            if (open) aside.focus();
          },
        },
        icon(panel.icon),
        panel.title,
      ),
    ]),
  );

  function toggle(panel: Panel | undefined): void {
    const closed = open;
    open = panel;
    for (const [one, button] of buttons) button.setAttribute('aria-expanded', String(one === open));
    aside.hidden = handle.hidden = !open;
    document.body.classList.toggle('has-panel', open !== undefined);
    localStorage.setItem(openedKey, open?.id ?? '');
    if (open) {
      title.textContent = open.title;
      content.replaceChildren(open.body);
      open.update(tab);
      open.redraw?.();
    } else if (closed) buttons.get(closed)?.focus();
  }

  aside.addEventListener('keydown', (event) => event.key === 'Escape' && toggle(undefined));
  document.addEventListener(openedEvent, () => {
    if (!open || aside.offsetWidth < document.body.clientWidth) return;
    // On a phone the panel covers what was opened.
    toggle(undefined);
    document.querySelector<HTMLElement>('.graphiql-execute-button')?.focus();
  });
  const bar = h(
    'header',
    { id: 'bar', class: 'graphiql-container' },
    h('h1', {}, 'Parley'),
    h(
      'nav',
      { 'aria-label': 'Pages' },
      ...links.map(([text, href, isCurrent]) => h('a', { href, 'aria-current': isCurrent && 'true' }, text)),
    ),
    h('span', { id: 'panel-status', role: 'status' }),
    ...others,
    h('button', { type: 'button', class: 'bar-button', onclick: () => void share(tab) }, icon(linkIcon), 'Share'),
    h('div', { class: 'bar-panels', role: 'group', 'aria-label': 'Panels' }, ...buttons.values()),
  );
  document.querySelector('.skip')?.after(bar);
  document.querySelector('main')?.append(handle);
  document.querySelector('main')?.after(aside);
  const note = () => {
    for (const panel of panels) panel.note?.(tab);
  };
  note();
  const stored = localStorage.getItem(openedKey) ?? (innerWidth < roomy ? '' : panels[0]?.id);
  const opened = panels.find(({ id }) => id === stored);
  if (opened) toggle(opened);
  onThemeChange(() => open?.redraw?.());
  return (changed) => {
    tab = changed;
    note();
    open?.update(tab);
  };
}

/** Copies a link to the operation, which is in the fragment: browsers never send that to a server. */
async function share({ query, variables }: Tab): Promise<void> {
  const parts = new URLSearchParams({ query: query ?? '', ...(variables?.trim() && { variables }) });
  const address = `${location.origin}${location.pathname}#${parts}`;
  await navigator.clipboard.writeText(address).then(
    () => say('Copied: an address that opens this operation.'),
    () => say('The browser did not allow copying.'),
  );
}

/** The separator between the editor and the panels; drag it, or use the arrow keys. */
function resizeHandle(aside: HTMLElement): HTMLElement {
  const handle = h('div', {
    id: 'panel-resize',
    role: 'separator',
    tabindex: '0',
    'aria-orientation': 'vertical',
    'aria-label': 'Width of the panel',
    'aria-valuemin': least,
    'aria-valuemax': most,
    hidden: true,
  });
  const show = (width: number) => {
    const kept = Math.round(Math.min(most, Math.max(least, width)));
    aside.style.setProperty('--panel-width', `${kept}px`);
    handle.setAttribute('aria-valuenow', String(kept));
    return kept;
  };
  const set = (width: number) => localStorage.setItem(widthKey, String(show(width)));
  show(Number(localStorage.getItem(widthKey)) || usual());
  handle.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    const right = aside.getBoundingClientRect().right;
    const move = ({ clientX }: PointerEvent) => set(right - clientX);
    handle.addEventListener('pointermove', move);
    handle.addEventListener('lostpointercapture', () => handle.removeEventListener('pointermove', move), {
      once: true,
    });
  });
  handle.addEventListener('keydown', ({ key }) => {
    if (key === 'ArrowLeft') set(aside.offsetWidth + 24);
    if (key === 'ArrowRight') set(aside.offsetWidth - 24);
  });
  return handle;
}

function onThemeChange(run: () => void): void {
  let wasDark = isDarkPage();
  const check = () => {
    if (isDarkPage() === wasDark) return;
    wasDark = !wasDark;
    run();
  };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', check);
  new MutationObserver(check).observe(document.body, { attributeFilter: ['class'] });
}
