import type { ComponentChild } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isTouch } from '../host.ts';
import type { Properties } from '../properties.ts';
import { fill } from '../texts/texts.ts';
import { IconButton } from './icons.tsx';

/** Where the visitor writes. The field grows with its text. */
export function Composer({ state, chat, texts }: Properties): ComponentChild {
  const { draft } = state;
  const field = useRef<HTMLTextAreaElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const { uploads } = state;
  const isUploading = uploads.some(({ fault, handle }) => !fault && !handle);
  const maySend = !isUploading && (draft.trim() !== '' || uploads.some(({ handle }) => handle));
  const { types, count, bytes } = chat.uploads.limits;
  const attach = `${texts.attach}. ${fill(texts.attachLimits, { count, size: bytes / 1_000_000 })}`;
  const onPaste = (event: ClipboardEvent) => {
    const pasted = [...(event.clipboardData?.files ?? [])];
    if (pasted.length === 0 || types.length === 0) return;
    event.preventDefault();
    chat.uploads.add(pasted);
  };
  // In the same step as the view: a moment later it would be taken from a field that the visitor has chosen by then.
  useLayoutEffect(() => {
    // The focus would open an on-screen keyboard, which hides half of the conversation.
    const first = isTouch() ? field.current?.closest<HTMLElement>('.panel') : field.current;
    if (state.openedByVisitor) first?.focus();
  }, []);
  useLayoutEffect(() => {
    if (!field.current) return;
    field.current.style.height = 'auto';
    field.current.style.height = `${Math.min(field.current.scrollHeight + 2, 132)}px`;
  }, [draft]);
  const send = (event: Event) => {
    event.preventDefault();
    if (!maySend || state.answer) return;
    chat.say(draft);
    chat.setDraft('');
    field.current?.focus();
  };
  return (
    <form onSubmit={send}>
      {types.length > 0 && (
        <>
          <input
            ref={files}
            type="file"
            multiple
            hidden
            onChange={({ currentTarget }) => {
              chat.uploads.add(currentTarget.files ?? []);
              // The same file may be chosen again.
              currentTarget.value = '';
            }}
          />
          <IconButton class="attach" icon="attach" label={attach} onClick={() => files.current?.click()} />
        </>
      )}
      <textarea
        ref={field}
        dir="auto"
        aria-label={texts.message}
        placeholder={texts.placeholder}
        rows={1}
        maxLength={4_000}
        value={draft}
        onPaste={onPaste}
        onInput={(event) => chat.setDraft(event.currentTarget.value)}
        // Enter also ends the composition of an input method.
        onKeyDown={(event) => event.key === 'Enter' && !event.shiftKey && !event.isComposing && send(event)}
      />
      {state.answer ? (
        <IconButton class="send" icon="stop" label={texts.stop} onClick={chat.stop} />
      ) : (
        <IconButton class="send" icon="send" label={texts.send} type="submit" disabled={!maySend} />
      )}
    </form>
  );
}
