import { h, render } from 'preact';
import { createApi } from './api.ts';
import { type Chat, createChat, type State } from './chat.ts';
import { readableOn } from './colour.ts';
import { createMemory } from './memory.ts';
import { styles } from './styles.ts';
import { textsIn } from './texts.ts';
import type { Session } from './types.ts';
import { Widget } from './view.ts';

type Options = { channel: string | null; base: string };

/** Adds the widget to the page. If the channel does not allow the page, logs why to the console, and shows nothing. */
export async function start({ channel, base }: Options): Promise<void> {
  if (!channel) return console.error('Parley: the address of widget.js needs ?channel=pub_…');
  const memory = createMemory(channel);
  const api = createApi({ base, channel, memory });
  try {
    show(await api.enter());
  } catch (error) {
    console.error(`Parley: ${(error as Error).message}`);
  }

  function show({ agent: face, conversation }: Session): void {
    const root = makeRoot(face.color);
    const texts = textsIn(document.documentElement.lang || navigator.language);
    const { open = false, fresh = false } = memory.read();
    const { id = null, status = 'active', messages = [] } = (!fresh && conversation) || {};
    const state: State = { face, open, conversationId: id, status, messages, answer: null, notice: null };
    const draw = (now: State, chat: Chat) => render(h(Widget, { state: now, chat, texts }), root);
    const chat: Chat = createChat(api, memory, state, (now) => draw(now, chat));
    draw(state, chat);
    chat.resume();
  }
}

/** Styles are adopted and colours set from script, which a page's Content-Security-Policy allows. */
function makeRoot(color: string): ShadowRoot {
  const host = document.createElement('div');
  host.id = 'parley-widget';
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
  document.body.append(host);
  host.style.setProperty('--color', color);
  host.style.setProperty('--on-color', readableOn(color));
  return root;
}
