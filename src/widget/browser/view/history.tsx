import type { ComponentChild } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Properties } from '../properties.ts';

/** The visitor's own earlier conversations, to go back to. */
export function HistoryList({ state: { history, conversationId }, chat, texts, times }: Properties): ComponentChild {
  const first = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => first.current?.focus(), []);
  return (
    <div ref={first} class="history" tabIndex={-1} role="group" aria-label={texts.history}>
      {history?.state === 'failed' && (
        <p class="empty" role="status">
          {texts.offline}{' '}
          <button type="button" class="link" onClick={() => void chat.showHistory(true)}>
            {texts.retry}
          </button>
        </p>
      )}
      {history?.state === 'loading' && <p class="empty">{texts.loading}</p>}
      {history?.state === 'loaded' && history.conversations.length === 0 && <p class="empty">{texts.noHistory}</p>}
      {history?.state === 'loaded' && (
        <ul>
          {history.conversations.map(({ id, excerpt, lastAt, role }) => (
            <li key={id}>
              <button
                type="button"
                aria-current={id === conversationId || undefined}
                onClick={() => void chat.returnTo(id)}
              >
                <span class="excerpt">{role === 'user' ? `${texts.you}: ${excerpt}` : excerpt}</span>
                <time dateTime={lastAt} title={times.full(lastAt)}>
                  {times.brief(lastAt)}
                </time>
              </button>
            </li>
          ))}
        </ul>
      )}
      <button type="button" class="start" onClick={chat.leave}>
        {texts.fresh}
      </button>
    </div>
  );
}
