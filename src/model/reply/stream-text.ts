import { createSieve } from '../restricted/keep-grounded.ts';
import { type Answering, CitedReply, TrimmedText } from './cite.ts';
import { TokenReader } from './marks.ts';
import type { ModelResult } from './read-reply.ts';

type Written = {
  push(delta: string): void;
  /** Everything the model wrote, without withheld sentences. */
  written(): string;
  /** Emits the rest of the reply's content. */
  end(content: string): void;
  /** Resolves when a model that judges has judged what was written, and it is emitted. `ended`: nothing follows. */
  judged(ended: boolean): Promise<void>;
  /** What was emitted so far, as a reply. Nothing is emitted after it. */
  stopped(): ModelResult;
};

/**
 * Streams the content of a reply as the model writes it. Since emitted text cannot be taken back, marks are verified
 * and numbered first, and a piece is held back while it may still become a mark, code or trailing white space. JSON is
 * emitted at the end, as it is parsed as a whole. Grounded replies are emitted sentence by sentence, without those that
 * nothing backs.
 */
export function writeAlong(request: Answering, tell: (piece: string) => void): Written {
  const sieve = request.grounded && request.format !== 'json' ? createSieve(request) : null;
  // Reads ahead, which has the model asked; what it read is emitted once that is known.
  const scout = sieve && request.verdicts ? createSieve(request) : null;
  let waiting = Promise.resolve();
  let isOver = false;
  const certain = request.format === 'html' ? new TrimmedText() : new CertainText();
  const cited = new CitedReply(request);
  let raw = '';
  let told = '';
  const say = (piece: string) => {
    if (isOver) return;
    if (piece) tell(piece);
    told += piece;
  };
  const sift = (delta: string, ended: boolean) => {
    const text = sieve ? certain.push(delta, ended) : delta;
    const emit = () => say(cited.push(sieve ? sieve.push(text, ended) : text, false));
    if (!scout) return emit();
    scout.push(text, ended);
    const judged = request.verdicts?.settled();
    waiting = waiting.then(() => judged).then(() => (isOver ? undefined : emit()));
  };
  return {
    push(delta) {
      raw += delta;
      if (request.format !== 'json') sift(delta, false);
    },
    written() {
      if (!sieve) return raw;
      if (!scout) sift('', true);
      return sieve.kept().text;
    },
    judged(ended) {
      if (scout && ended) sift('', true);
      return waiting;
    },
    end(content) {
      if (content.startsWith(told)) say(content.slice(told.length));
    },
    stopped() {
      isOver = true;
      const withheld = sieve?.kept().withheld ?? 0;
      return { content: told, toolCalls: null, references: cited.references, finish: 'stopped', withheld };
    },
  };
}

/** Emits streamed text once what follows can no longer change it, with marks and code in one piece. */
class CertainText {
  readonly #reader = new TokenReader();
  readonly #ends = new TrimmedText();

  push(delta: string, ended: boolean): string {
    return this.#ends.push(
      this.#reader
        .read(delta, ended)
        .map(({ text }) => text)
        .join(''),
    );
  }
}
