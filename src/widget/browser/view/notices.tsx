import type { ComponentChild } from 'preact';
import type { Properties } from '../properties.ts';

/** Why nothing is answered, or by whom; screen readers announce it. */
export function Notices({ state: { face, notice, status, person }, chat, texts }: Properties): ComponentChild {
  const mayRetry = notice && notice !== 'off' && notice !== 'reconnecting';
  return (
    <div class="notice" role="status">
      {status === 'waiting_human' && <p>{person ? texts.answering : texts.waiting}</p>}
      {notice && (
        <p>
          {notice === 'off' ? (face.off ?? texts.off) : texts[notice]}
          {mayRetry && [
            ' ',
            <button key="retry" type="button" onClick={chat.retry}>
              {texts.retry}
            </button>,
          ]}
        </p>
      )}
    </div>
  );
}
