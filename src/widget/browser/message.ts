import { type ComponentChild, h } from 'preact';
import { link, renderMarkdown } from './markdown.ts';
import { fill, type Texts } from './texts.ts';
import type { Face, Message, Reference } from './types.ts';

type Shown = Pick<Message, 'id' | 'role' | 'content'> & Partial<Message>;
type Properties = { message: Shown; face: Face; texts: Texts; onRate?: (rating: 'like' | 'dislike') => void };

/** A message with its author, text, sources, and rating buttons. */
export function Bubble({ message, face, texts, onRate }: Properties): ComponentChild {
  const { role, content, references = [], stopped, cutOff, rating } = message;
  const isAnswer = role === 'assistant';
  return h(
    'article',
    { class: role },
    h('span', { class: 'hidden' }, `${isAnswer ? face.name : texts.you}: `),
    h('div', { class: 'text' }, isAnswer ? renderMarkdown(content) : h('p', null, content)),
    (stopped || cutOff) && h('p', { class: 'small' }, stopped ? texts.stopped : texts.cutOff),
    references.length > 0 && h(References, { references, texts }),
    isAnswer &&
      onRate &&
      h(
        'div',
        { class: 'rating' },
        thumb('like', texts.helped, 'M7 11l4-7c2 0 2 2 1 5h6l-1 9H7zM4 11h1v7H4z'),
        thumb('dislike', texts.notHelped, 'M17 13l-4 7c-2 0-2-2-1-5H6l1-9h10zM20 13h-1V6h1z'),
      ),
  );

  function thumb(given: 'like' | 'dislike', label: string, path: string): ComponentChild {
    const pressed = rating === given;
    return h(
      'button',
      { type: 'button', 'aria-label': label, title: label, 'aria-pressed': pressed, onClick: () => onRate?.(given) },
      h('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true', focusable: 'false' }, h('path', { d: path })),
    );
  }
}

function References({ references, texts }: { references: Reference[]; texts: Texts }): ComponentChild {
  const items = references.map(({ title, url, quote, page }) => {
    const name = [title ?? url ?? '', page && fill(texts.page, { page })].filter(Boolean).join(', ');
    return h('li', null, (url && link(url, name)) || name, quote && h('q', null, quote));
  });
  return h('details', { open: true }, h('summary', null, texts.sources), h('ol', null, items));
}
