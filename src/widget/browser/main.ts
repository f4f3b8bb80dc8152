import { h, render } from 'preact';
import { createApi } from './api.ts';
import { type Chat, createChat } from './chat.ts';
import { awaitGreeting } from './greeting.ts';
import { isPhone, makeRoot } from './host.ts';
import { reportIdentity } from './identity.ts';
import { createMemory } from './memory.ts';
import { sharedPage } from './page-api.ts';
import { announce } from './page-events.ts';
import { readSettings } from './settings.ts';
import { type State, standingOf } from './state.ts';
import { textsIn } from './texts/texts.ts';
import { createTimes } from './times.ts';
import type { Conversation, Session } from './types.ts';
import { Widget } from './view/view.tsx';

/** A second tag of the same channel does nothing. */
const { widgets, identityFor, started } = sharedPage();

const tag = document.currentScript as HTMLScriptElement;
const settings = readSettings(tag);
const { base, channel, language } = settings;
const key = `${base} ${channel}`;

if (!channel) console.error('Parley: the address of widget.js needs ?channel=pub_…');
else if (!widgets.has(key)) {
  widgets.set(key, null);
  if (document.body) void start(channel);
  else addEventListener('DOMContentLoaded', () => void start(channel), { once: true });
}

/** Adds the widget to the page. If the channel does not allow the page, logs why to the console, and shows nothing. */
async function start(channel: string): Promise<void> {
  const memory = createMemory(channel);
  const api = createApi({ base, channel, memory });
  try {
    const session = await enter();
    show(session, await shownLast(session.conversation));
  } catch (error) {
    // A later tag may try again.
    widgets.delete(key);
    console.error(`Parley: ${(error as Error).message}`);
  }

  /** As the user whom the page names already; as somebody unknown if the gateway does not believe it. */
  async function enter(): Promise<Session> {
    const source = identityFor(key);
    const known = source && (await api.identify(source).catch(reportIdentity));
    return known || api.enter();
  }

  /** The conversation that this browser showed last, which may be an older one. */
  async function shownLast(latest: Conversation | null): Promise<Conversation | null> {
    const { fresh, conversationId: id } = memory.read();
    if (fresh) return null;
    if (!latest || !id || id === latest.id) return latest;
    return api.conversation(id).catch(() => latest);
  }

  function show({ agent, attachable, form, greetings }: Session, conversation: Conversation | null): void {
    const face = { ...agent, welcome: settings.welcome ?? agent.welcome };
    const root = makeRoot(face, tag, settings);
    const texts = textsIn(language);
    const times = createTimes(language);
    const { open = false, sound = false, answers, greeted } = memory.read();
    const { id = null, messages = [] } = conversation ?? {};
    const state: State = {
      face,
      // A page that the visitor goes to is not covered.
      open: open && !isPhone() && !isAnyOpen(),
      openedByVisitor: false,
      opener: null,
      hidden: false,
      draft: '',
      conversationId: id,
      ...standingOf(conversation),
      messages,
      answer: null,
      notice: null,
      form: answers ? [] : form,
      greeting: null,
      teaser: false,
      uploads: [],
      history: null,
      unread: 0,
      sound,
    };
    const draw = (now: State, chat: Chat) => {
      if (now.open && now.openedByVisitor) closeOthers();
      render(h(Widget, { state: now, chat, texts, times }), root);
    };
    const chat: Chat = createChat({ api, memory, attachable, announce: announce(channel) }, state, (now) =>
      draw(now, chat),
    );
    widgets.set(key, chat);
    started();
    draw(chat.state(), chat);
    chat.resume();
    if (!greeted && messages.length === 0) awaitGreeting(greetings, chat.greet);
  }
}

const isAnyOpen = (): boolean => [...widgets.values()].some((chat) => chat?.isOpen());

/** Panels of several widgets would cover each other. */
function closeOthers(): void {
  for (const [other, chat] of widgets) if (other !== key && chat?.isOpen()) chat.toggle(false);
}
