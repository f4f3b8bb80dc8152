import { type ComponentChild, Fragment } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Properties } from '../properties.ts';
import { fill } from '../texts/texts.ts';
import { isSameDay } from '../times.ts';
import { Bubble } from './message.tsx';

/**
 * The messages, with a line where a day begins. `aria-busy` while an answer is written, so that screen readers announce
 * it only when it is complete.
 */
export function Log({ state, chat, texts, times }: Properties): ComponentChild {
  const { face, messages, answer } = state;
  const log = useRef<HTMLDivElement>(null);
  const newest = answer?.content ?? messages.length;
  useLayoutEffect(() => {
    log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [newest]);
  const common = { face, texts, times, base: chat.base };
  return (
    <div
      ref={log}
      class="log"
      role="log"
      aria-live="polite"
      aria-busy={answer !== null}
      aria-labelledby="name"
      tabIndex={0}
    >
      <Bubble message={{ id: 'welcome', role: 'assistant', content: face.welcome ?? texts.welcome }} {...common} />
      {state.greeting && messages.length === 0 && (
        <Bubble message={{ id: 'greeting', role: 'assistant', content: state.greeting }} {...common} />
      )}
      {messages.map((message, index) => (
        <Fragment key={message.id}>
          {!isSameDay(messages[index - 1]?.createdAt, message.createdAt) && (
            <p class="day">
              <time dateTime={message.createdAt.slice(0, 10)}>{times.day(message.createdAt)}</time>
            </p>
          )}
          <Bubble message={message} {...common} onRate={(rating) => chat.rate(message, rating)} />
        </Fragment>
      ))}
      {answer?.content && <Bubble message={{ ...answer, role: 'assistant' }} {...common} />}
      {answer && !answer.content && (
        <p class="writing">
          <span class="hidden">{fill(texts.writing, { name: face.name })}</span>
          <span class="dots" aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
        </p>
      )}
    </div>
  );
}
