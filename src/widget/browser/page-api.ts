import type { Chat } from './chat.ts';
import type { IdentitySource } from './identity.ts';

type Call = [name: string, ...given: unknown[]];
type Handler = (detail: unknown) => void;
type Target = { channel?: string } | undefined;
/** What the page defines before this script has loaded. */
type Queue = ((...call: Call) => void) & { q?: ArrayLike<unknown>[] };
type Page = {
  /** The widgets of the page, by the gateway's address and the channel; null while one is loaded. */
  widgets: Map<string, Chat | null>;
  /** Takes out of the calls that wait for a widget the last one that says who its visitor is. */
  identityFor(key: string): IdentitySource;
  /** Makes the calls that waited for a widget. */
  started(): void;
};

const events = ['open', 'close', 'message', 'reply', 'lead'];
const actions: Record<string, (chat: Chat, given: unknown) => void> = {
  open: (chat) => chat.toggle(true),
  close: (chat) => chat.toggle(false),
  toggle: (chat) => chat.toggle(!chat.isOpen()),
  show: (chat) => chat.hide(false),
  hide: (chat) => chat.hide(true),
  identify: (chat, source) => void chat.identify((source ?? null) as IdentitySource),
  prefill: (chat, text) => chat.setDraft(String(text ?? '').slice(0, 4_000)),
};
/** Calls with a value before the options. */
const valued = ['prefill', 'identify'];

/**
 * `Parley('open')`, the widget for the scripts of the page. The page may define it before this script has loaded, as a
 * function that keeps its calls in `q`; the calls wait until their widget is there. All tags of a page share it.
 */
export function sharedPage(): Page {
  const shared = globalThis as unknown as Record<symbol, Page | undefined> & { Parley?: Queue };
  return (shared[Symbol.for('parley')] ??= install());

  function install(): Page {
    const widgets: Page['widgets'] = new Map();
    const listeners = new Map<string, Map<Handler, EventListener>>();
    let waiting: Call[] = [];

    /** The widget of the channel that a call names, or the page's first. */
    const keyOf = (name: string, given: unknown[]): string | undefined => {
      const { channel } = (given[valued.includes(name) ? 1 : 0] as Target) ?? {};
      return [...widgets.keys()].find((key) => !channel || key.endsWith(` ${channel}`));
    };

    function listen(name: string, [event, handler]: unknown[]): void {
      if (!events.includes(event as string) || typeof handler !== 'function')
        return console.error(`Parley: "${name}" takes one of ${events.join(', ')}, and a function`);
      const type = `parley:${String(event)}`;
      const known = listeners.get(type) ?? new Map<Handler, EventListener>();
      listeners.set(type, known);
      const old = known.get(handler as Handler);
      if (name === 'off' && old) document.removeEventListener(type, old);
      if (name === 'off') return void known.delete(handler as Handler);
      if (old) return;
      const listener = (event: Event) => (handler as Handler)((event as CustomEvent).detail);
      known.set(handler as Handler, listener);
      document.addEventListener(type, listener);
    }

    function call(...[name, ...given]: Call): void {
      if (name === 'on' || name === 'off') return listen(name, given);
      const act = Object.hasOwn(actions, name) && actions[name];
      if (!act) return console.error(`Parley: there is no "${name}": see the documentation of the widget`);
      const chat = widgets.get(keyOf(name, given) ?? '');
      if (chat) act(chat, given[0]);
      else waiting.push([name, ...given]);
    }

    const early = shared.Parley?.q ?? [];
    shared.Parley = call;
    for (const given of early) call(...(Array.from(given) as Call));
    return {
      widgets,
      identityFor(key) {
        const isIdentity = ([name, ...given]: Call) => name === 'identify' && keyOf(name, given) === key;
        const last = waiting.findLast(isIdentity);
        waiting = waiting.filter((given) => !isIdentity(given));
        return (last?.[1] ?? null) as IdentitySource;
      },
      started() {
        const calls = waiting;
        waiting = [];
        for (const given of calls) call(...given);
      },
    };
  }
}
