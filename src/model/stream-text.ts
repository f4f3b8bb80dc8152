import { closedPart } from './closed-html.ts';
import { type Answering, cite, type Said } from './read-reply.ts';
import { createSieve } from './restricted/keep-grounded.ts';

type Written = {
  push(delta: string): void;
  /** Everything that the model wrote, and may be told. */
  written(): string;
  /** Tells the rest of the reply's content. */
  end(content: string): void;
  /** What was told so far, as a reply. */
  stopped(): Said;
};

/** The same, of which only what rests on what the agent knows is told, sentence by sentence: nothing told can be unsaid. */
function writeGrounded(request: Answering, tell: (piece: string) => void): Written {
  const sieve = createSieve(request);
  let raw = '';
  let told = '';
  let kept = { text: '', withheld: 0 };
  const say = (content: string) => {
    if (content.length <= told.length || !content.startsWith(told)) return;
    tell(content.slice(told.length));
    told = content;
  };
  const read = (ended: boolean) => {
    const text = raw.trimStart();
    const certain = ended ? text.trimEnd() : request.format === 'html' ? closedPart(text) : certainPart(text);
    const more = sieve.push(certain, ended);
    if (more.text.length > kept.text.length) say(cite(request, more.text).content);
    kept = more;
  };
  return {
    push(delta) {
      raw += delta;
      if (request.format !== 'json') read(false);
    },
    written() {
      if (request.format !== 'json') read(true);
      return kept.text;
    },
    end: say,
    stopped() {
      const { references } = request.format === 'json' ? { references: [] } : cite(request, kept.text);
      return { content: told, toolCalls: null, references, finish: 'stopped', withheld: kept.withheld };
    },
  };
}

/**
 * Tells the content of a reply while the model writes it. Marks are checked and numbered before they are told, so a
 * piece is held back while it may still become a mark, code or the white space at the end. JSON is told at its end,
 * since it is read as a whole.
 */
export function writeAlong(request: Answering, tell: (piece: string) => void): Written {
  if (request.grounded) return writeGrounded(request, tell);
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
    written: () => raw,
    end: say,
    stopped() {
      const references = request.format === 'json' ? [] : cite(request, certain).references;
      return { content: told, toolCalls: null, references, finish: 'stopped', withheld: 0 };
    },
  };
}

/** A bracket that may become a mark or the text of a link; it is one at most 650 characters long. */
const openMark = /[ \t]?\[(?:[^\]\n]{0,650}|[^\]\n]{1,650}\])$/;
const openCode = /`[^`\n]*$/;
const openFence = /`{1,2}$/;

/** The beginning of a text that what follows cannot change. */
function certainPart(text: string): string {
  const inFence = text.split('```').length % 2 === 0;
  // Nothing before these places can be open: looking there would cost more with every word.
  const line = text.lastIndexOf('\n') + 1;
  const near = Math.max(line, text.length - 655);
  const held = inFence
    ? heldFrom(text, line, openFence)
    : (heldFrom(text, line, openCode) ?? heldFrom(text, near, openMark));
  return text.slice(0, held ?? text.length).trimEnd();
}

function heldFrom(text: string, start: number, open: RegExp): number | undefined {
  const found = open.exec(text.slice(start));
  return found ? start + found.index : undefined;
}
