import type { ComponentChild } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isPhone, lockPage } from '../host.ts';
import type { Properties } from '../properties.ts';
import { fill } from '../texts/texts.ts';
import { UploadList } from './attachments.tsx';
import { Composer } from './composer.tsx';
import { Form } from './form.tsx';
import { Header } from './header.tsx';
import { HistoryList } from './history.tsx';
import { Icon, IconButton } from './icons.tsx';
import { Log } from './log.tsx';
import { Notices } from './notices.tsx';
import { Satisfaction } from './satisfaction.tsx';

/** The launcher button and, when open, the chat panel. */
export function Widget(properties: Properties): ComponentChild {
  const { state, chat, texts } = properties;
  const launcher = useRef<HTMLButtonElement>(null);
  const close = () => {
    chat.toggle(false);
    (state.opener ?? launcher.current)?.focus();
  };
  useLayoutEffect(() => lockPage(state.open && isPhone()), [state.open]);
  const { unread } = state;
  const news = unread > 0 ? `, ${fill(texts.unread, { count: unread })}` : '';
  const label = state.open ? texts.close : fill(texts.open, { name: state.face.name }) + news;
  return (
    <div class={`widget${state.face.left ? ' left' : ''}${state.open ? ' open' : ''}`}>
      {state.open && <Panel {...properties} close={close} />}
      <div class="teaser" role="status">
        {state.teaser && !state.hidden && (
          <>
            <button type="button" class="said" dir="auto" onClick={() => chat.toggle(true)}>
              {state.greeting}
            </button>
            <IconButton icon="close" label={texts.dismiss} onClick={chat.dismissGreeting} />
          </>
        )}
      </div>
      {!state.hidden && (
        <button
          ref={launcher}
          class="launcher"
          type="button"
          aria-label={label}
          aria-expanded={state.open}
          aria-haspopup="dialog"
          onClick={() => (state.open ? close() : chat.toggle(true))}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || !state.open) return;
            event.stopPropagation();
            close();
          }}
        >
          <Icon name={state.open ? 'down' : 'chat'} />
          {!state.open && unread > 0 && (
            <span class="badge" aria-hidden="true">
              {unread > 9 ? '9+' : unread}
            </span>
          )}
        </button>
      )}
    </div>
  );
}

function Panel({ close, ...properties }: Properties & { close: () => void }): ComponentChild {
  const panel = useRef<HTMLElement>(null);
  const { chat, texts } = properties;
  const { types, count, bytes } = chat.uploads.limits;
  const [isDragging, setDragging] = useState(false);
  const onDragOver = (event: DragEvent) => {
    if (types.length === 0 || !event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    setDragging(true);
  };
  const onDrop = (event: DragEvent) => {
    if (!isDragging) return;
    event.preventDefault();
    setDragging(false);
    chat.uploads.add(event.dataTransfer?.files ?? []);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Tab' && isPhone()) return stayInside(panel.current, event);
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    close();
  };
  return (
    <section
      ref={panel}
      class="panel"
      role="dialog"
      aria-labelledby="name"
      aria-modal={isPhone() || undefined}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      onDragOver={onDragOver}
      onDragLeave={() => setDragging(false)}
      onDrop={onDrop}
    >
      {isDragging && (
        <p class="drop">
          {texts.drop}
          <br />
          {fill(texts.attachLimits, { count, size: bytes / 1_000_000 })}
        </p>
      )}
      <Header {...properties} close={close} />
      {properties.state.history ? (
        <HistoryList {...properties} />
      ) : (
        <>
          <Log {...properties} />
          <Notices {...properties} />
          <Satisfaction key={properties.state.conversationId} {...properties} />
          <UploadList {...properties} />
          {properties.state.form.length > 0 && properties.state.messages.length === 0 ? (
            <Form {...properties} />
          ) : (
            <Composer {...properties} />
          )}
        </>
      )}
    </section>
  );
}

/** Moves from the last control to the first and back: a panel that fills the screen hides the page's own controls. */
function stayInside(panel: HTMLElement | null, event: KeyboardEvent): void {
  const controls = [
    ...(panel?.querySelectorAll<HTMLElement>('button, input, select, textarea, a, summary, [tabindex="0"]') ?? []),
  ];
  const usable = controls.filter((control) => !control.matches(':disabled') && control.checkVisibility());
  const [first, last] = [usable[0], usable.at(-1)];
  const focused = (panel?.getRootNode() as ShadowRoot | undefined)?.activeElement;
  const next = event.shiftKey ? focused === first && last : focused === last && first;
  if (!next) return;
  event.preventDefault();
  next.focus();
}
