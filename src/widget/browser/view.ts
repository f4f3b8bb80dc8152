import { type ComponentChild, h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Chat, State } from './chat.ts';
import { Bubble } from './message.ts';
import { fill, type Texts } from './texts.ts';

type Properties = { state: State; chat: Chat; texts: Texts };

/** The launcher button and, when open, the chat panel. */
export function Widget({ state, chat, texts }: Properties): ComponentChild {
  const launcher = useRef<HTMLButtonElement>(null);
  const close = () => {
    chat.toggle(false);
    launcher.current?.focus();
  };
  const label = state.open ? texts.close : fill(texts.open, { name: state.face.name });
  return h(
    'div',
    { class: state.face.left ? 'widget left' : 'widget' },
    state.open && h(Panel, { state, chat, texts, close }),
    h(
      'button',
      {
        ref: launcher,
        class: 'launcher',
        type: 'button',
        'aria-label': label,
        'aria-expanded': state.open,
        'aria-haspopup': 'dialog',
        onClick: () => (state.open ? close() : chat.toggle(true)),
      },
      icon(state.open ? 'M6 6l12 12M18 6L6 18' : 'M4 5h16v11H11l-5 4v-4H4z'),
    ),
  );
}

function Panel({ state, chat, texts, close }: Properties & { close: () => void }): ComponentChild {
  const { face, notice, answer } = state;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    close();
  };
  return h(
    'section',
    { class: 'panel', role: 'dialog', 'aria-labelledby': 'name', onKeyDown },
    h(
      'header',
      null,
      face.avatar && h('img', { src: face.avatar, alt: '' }),
      h('h2', { id: 'name' }, face.name),
      h(
        'button',
        {
          type: 'button',
          'aria-label': texts.fresh,
          title: texts.fresh,
          onClick: chat.leave,
          disabled: answer !== null,
        },
        icon('M12 5v14M5 12h14'),
      ),
      h(
        'button',
        { type: 'button', 'aria-label': texts.close, title: texts.close, onClick: close },
        icon('M6 6l12 12M18 6L6 18'),
      ),
    ),
    h(Log, { state, chat, texts }),
    h(
      'div',
      { class: 'notice', role: 'status' },
      state.status === 'waiting_human' && h('p', null, texts.waiting),
      notice &&
        h(
          'p',
          null,
          notice === 'off' ? (face.off ?? texts.off) : texts[notice],
          notice !== 'off' &&
            notice !== 'reconnecting' && [' ', h('button', { type: 'button', onClick: chat.retry }, texts.retry)],
        ),
    ),
    h(Composer, { state, chat, texts }),
  );
}

/** `aria-busy` while an answer is written, so that screen readers announce it only when it is complete. */
function Log({ state, chat, texts }: Properties): ComponentChild {
  const { face, messages, answer } = state;
  const log = useRef<HTMLDivElement>(null);
  const newest = answer?.content ?? messages.length;
  useEffect(() => {
    log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [newest]);
  const welcome = face.welcome && { id: 'welcome', role: 'assistant' as const, content: face.welcome };
  return h(
    'div',
    {
      class: 'log',
      ref: log,
      role: 'log',
      'aria-live': 'polite',
      'aria-busy': answer !== null,
      'aria-labelledby': 'name',
      tabIndex: 0,
    },
    welcome && h(Bubble, { key: 'welcome', message: welcome, face, texts }),
    messages.map((message) =>
      h(Bubble, { key: message.id, message, face, texts, onRate: (rating) => chat.rate(message, rating) }),
    ),
    answer?.content && h(Bubble, { key: answer.id, message: { ...answer, role: 'assistant' }, face, texts }),
    answer && !answer.content && h('p', { class: 'writing' }, fill(texts.writing, { name: face.name })),
  );
}

function Composer({ state, chat, texts }: Properties): ComponentChild {
  const [draft, setDraft] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const send = (event: Event) => {
    event.preventDefault();
    if (!draft.trim() || state.answer) return;
    chat.say(draft);
    setDraft('');
    field.current?.focus();
  };
  return h(
    'form',
    { onSubmit: send },
    h('textarea', {
      ref: field,
      'aria-label': texts.message,
      placeholder: texts.placeholder,
      rows: 2,
      maxLength: 4_000,
      value: draft,
      onInput: (event: InputEvent) => setDraft((event.currentTarget as HTMLTextAreaElement).value),
      // Enter also ends the composition of an input method.
      onKeyDown: (event: KeyboardEvent) =>
        event.key === 'Enter' && !event.shiftKey && !event.isComposing && send(event),
    }),
    state.answer
      ? h(
          'button',
          { type: 'button', class: 'send', 'aria-label': texts.stop, title: texts.stop, onClick: chat.stop },
          icon('M8 8h8v8H8z'),
        )
      : h(
          'button',
          { type: 'submit', class: 'send', 'aria-label': texts.send, title: texts.send, disabled: !draft.trim() },
          icon('M5 12h14M13 6l6 6-6 6'),
        ),
  );
}

const icon = (path: string): ComponentChild =>
  h('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true', focusable: 'false' }, h('path', { d: path }));
