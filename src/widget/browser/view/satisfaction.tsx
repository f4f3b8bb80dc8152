import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import type { Properties } from '../properties.ts';
import { fill } from '../texts/texts.ts';

const scores = [1, 2, 3, 4, 5];

/** Asks at the end of a conversation how it was, from 1 to 5, and then why. */
export function Satisfaction({ state, chat, texts }: Properties): ComponentChild {
  const { asksSatisfaction, satisfaction } = state;
  /** Null until something is written. */
  const [comment, setComment] = useState<string | null>(null);
  const [isFailed, setFailed] = useState(false);
  const [isSent, setSent] = useState(false);
  if (!asksSatisfaction || state.answer) return null;
  const answer = async (score: number | null, isLast = false) => {
    if (score === null) return;
    const isStored = await chat.rateConversation(score, comment === null ? undefined : comment.trim() || null);
    setFailed(!isStored);
    if (isStored && isLast) setSent(true);
  };
  const send = async (event: Event) => {
    event.preventDefault();
    await answer(satisfaction, true);
  };
  return (
    <form class="form satisfaction" onSubmit={(event) => void send(event)}>
      <fieldset>
        <legend>{texts.howWasIt}</legend>
        {scores.map((score) => (
          <button
            key={score}
            type="button"
            aria-label={fill(texts.ofFive, { score })}
            aria-pressed={satisfaction === score}
            onClick={() => void answer(score)}
          >
            {score}
          </button>
        ))}
      </fieldset>
      {satisfaction !== null && !isSent && (
        <div class="why">
          <input
            aria-label={texts.why}
            placeholder={texts.why}
            maxLength={2_000}
            value={comment ?? ''}
            onInput={({ currentTarget }) => setComment(currentTarget.value)}
          />
          <button class="start" type="submit">
            {texts.send}
          </button>
        </div>
      )}
      <p class="small" role="status">
        {isFailed ? texts.offline : satisfaction !== null && texts.thanks}
      </p>
    </form>
  );
}
