import { closedPart } from './closed-html.ts';
import { type Answering, cite, type Said } from './read-reply.ts';

type Written = {
  push(delta: string): void;
  /** Everything that the model wrote. */
  raw(): string;
  /** Tells the rest of the reply's content. */
  end(content: string): void;
  /** What was told so far, as a reply. */
  stopped(): Said;
};

/**
 * Tells the content of a reply while the model writes it. Marks are checked and numbered before they are told, so a
 * piece is held back while it may still become a mark, code or the white space at the end. JSON is told at its end,
 * since it is read as a whole.
 */
export function writeAlong(request: Answering, tell: (piece: string) => void): Written {
  let raw = '';
  let certain = '';
  let cited = '';
  let told = '';
  const say = (content: string) => {
    if (content.length <= told.length || !content.startsWith(told)) return;
    tell(content.slice(told.length));
    told = content;
  };
  return {
    push(delta) {
      raw += delta;
      if (request.format === 'json') return;
      const now = request.format === 'html' ? closedPart(raw.trimStart()) : certainPart(raw.trimStart());
      if (now.length <= certain.length) return;
      const more = now.slice(certain.length);
      // Checking a mark costs far more than a word: only what may hold one is read again.
      const plain = request.format !== 'html' && !/[\]`]/.test(more) && !certain.endsWith(']');
      cited = plain ? cited + more : cite(request, now).content;
      certain = now;
      say(cited);
    },
    raw: () => raw,
    end: say,
    stopped() {
      const references = request.format === 'json' ? [] : cite(request, certain).references;
      return { content: told, toolCalls: null, references, finish: 'stopped' };
    },
  };
}

/** A bracket that may become a mark or the text of a link; it is one at most 650 characters long. */
const openMark = /[ \t]?\[(?:[^\]\n]{0,650}|[^\]\n]{1,650}\])$/;
const openCode = /`[^`\n]*$/;

/** The beginning of a text that what follows cannot change. */
function certainPart(text: string): string {
  const inFence = text.split('```').length % 2 === 0;
  const held = inFence ? /`{1,2}$/.exec(text) : (openCode.exec(text) ?? openMark.exec(text));
  return text.slice(0, held?.index ?? text.length).trimEnd();
}
