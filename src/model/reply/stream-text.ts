import { createSieve } from '../restricted/keep-grounded.ts';
import { type Answering, CitedReply, TrimmedText } from './cite.ts';
import { TokenReader } from './marks.ts';
import type { ModelResult } from './read-reply.ts';

type Written = {
  push(delta: string): void;
  /** Everything that the model wrote, and may be told. */
  written(): string;
  /** Tells the rest of the reply's content. */
  end(content: string): void;
  /** What was told so far, as a reply. */
  stopped(): ModelResult;
};

/**
 * Tells the content of a reply while the model writes it. Marks are checked and numbered before they are told, so a
 * piece is held back while it may still become a mark, code or the white space at the end. JSON is told at its end,
 * since it is read as a whole. Of a reply that has to rest on what the agent knows, only what does is told, sentence by
 * sentence: nothing told can be unsaid.
 */
export function writeAlong(request: Answering, tell: (piece: string) => void): Written {
  const sieve = request.grounded && request.format !== 'json' ? createSieve(request) : null;
  const certain = request.format === 'html' ? new TrimmedText() : new CertainText();
  const cited = new CitedReply(request);
  let raw = '';
  let told = '';
  const say = (piece: string) => {
    if (piece) tell(piece);
    told += piece;
  };
  const sift = (delta: string, ended: boolean) => {
    const kept = sieve ? sieve.push(certain.push(delta, ended), ended) : delta;
    say(cited.push(kept, false));
  };
  return {
    push(delta) {
      raw += delta;
      if (request.format !== 'json') sift(delta, false);
    },
    written() {
      if (!sieve) return raw;
      sift('', true);
      return sieve.kept().text;
    },
    end(content) {
      if (content.startsWith(told)) say(content.slice(told.length));
    },
    stopped() {
      const withheld = sieve?.kept().withheld ?? 0;
      return { content: told, toolCalls: null, references: cited.references, finish: 'stopped', withheld };
    },
  };
}

/** A text that is being written as far as what follows cannot change it, with its marks and code whole. */
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
