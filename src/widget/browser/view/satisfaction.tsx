import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import type { Properties } from '../properties.ts';
import { fill } from '../texts/texts.ts';

const scores = [1, 2, 3, 4, 5];

/** Asks at the end of a conversation how it was, from 1 to 5, and then why. */
export function Satisfaction({ state, chat, texts }: Properties): ComponentChild {
  const { asksSatisfaction, satisfaction, answer } = state;
  const [comment, setComment] = useState('');
  const [isSent, setSent] = useState(false);
  if (!asksSatisfaction || answer) return null;
  const send = async (event: Event) => {
    event.preventDefault();
    if (satisfaction !== null && (await chat.answerAtEnd(satisfaction, comment.trim() || undefined))) setSent(true);
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
            onClick={() => void chat.answerAtEnd(score, comment.trim() || undefined)}
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
            value={comment}
            onInput={({ currentTarget }) => setComment(currentTarget.value)}
          />
          <button class="start" type="submit">
            {texts.send}
          </button>
        </div>
      )}
      <p class="small" role="status">
        {satisfaction !== null && texts.thanks}
      </p>
    </form>
  );
}
