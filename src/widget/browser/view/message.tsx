import type { ComponentChild } from 'preact';
import { link, renderMarkdown } from '../markdown.ts';
import { fill, type Texts } from '../texts/texts.ts';
import type { Times } from '../times.ts';
import type { Face, Message, Reference } from '../types.ts';
import { Attachments } from './attachments.tsx';
import { Avatar, PersonAvatar } from './avatar.tsx';
import { IconButton } from './icons.tsx';

type Shown = Pick<Message, 'id' | 'role' | 'content'> & Partial<Message>;
type Properties = {
  message: Shown;
  face: Face;
  texts: Texts;
  times: Times;
  /** The address of the gateway, for links to files. */
  base: string;
  onRate?: (rating: 'like' | 'dislike') => void;
};

/** A message with its author, text, sources, time, and rating buttons. */
export function Bubble({ message, face, texts, times, base, onRate }: Properties): ComponentChild {
  const { attachments = [], person, role, content, references = [], stopped, cutOff, rating, createdAt } = message;
  const isAnswer = role === 'assistant';
  const author = !isAnswer ? texts.you : person ? texts.person : face.name;
  return (
    <article class={role}>
      {isAnswer && (person ? <PersonAvatar /> : <Avatar face={face} />)}
      <div class="body">
        <span class="hidden">{`${author}: `}</span>
        <Attachments attachments={attachments} base={base} />
        {content && (
          <div class="text" dir="auto">
            {isAnswer ? renderMarkdown(content) : <p>{content}</p>}
          </div>
        )}
        {(stopped || cutOff) && <p class="small">{stopped ? texts.stopped : texts.cutOff}</p>}
        {references.length > 0 && <References references={references} texts={texts} />}
        {createdAt && (
          <div class="under">
            {person && <span>{texts.person}</span>}
            <time dateTime={createdAt} title={times.full(createdAt)}>
              {times.time(createdAt)}
            </time>
            {isAnswer && !person && onRate && (
              <div class="rating">
                <IconButton
                  icon="like"
                  label={texts.helped}
                  pressed={rating === 'like'}
                  onClick={() => onRate('like')}
                />
                <IconButton
                  icon="dislike"
                  label={texts.notHelped}
                  pressed={rating === 'dislike'}
                  onClick={() => onRate('dislike')}
                />
                {rating && <span>{texts.thanks}</span>}
              </div>
            )}
          </div>
        )}
      </div>
    </article>
  );
}

function References({ references, texts }: { references: Reference[]; texts: Texts }): ComponentChild {
  return (
    <details open>
      <summary>{texts.sources}</summary>
      <ol>
        {references.map(({ title, url, quote, page }, index) => {
          const name = [title ?? url ?? '', page && fill(texts.page, { page })].filter(Boolean).join(', ');
          return (
            <li key={index}>
              {(url && link(url, name)) || name}
              {quote && <q dir="auto">{quote}</q>}
            </li>
          );
        })}
      </ol>
    </details>
  );
}
