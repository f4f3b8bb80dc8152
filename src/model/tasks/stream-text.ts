import { GrowingText } from '../../text/growing.ts';
import { TokenReader } from '../reply/marks.ts';
import { createGroundingFilter } from '../restricted/keep-grounded.ts';
import { type Answering, CitedReply, TrimmedText } from './cite.ts';
import { type ModelResult, unchecked } from './read-reply.ts';

type ContentStream = {
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
export function streamContent(request: Answering, onText: (piece: string) => void): ContentStream {
  const groundingFilter = request.grounded && request.format !== 'json' ? createGroundingFilter(request) : null;
  // Reads ahead, which has the model asked; what it read is emitted once that is known.
  const scout = groundingFilter && request.verdicts ? createGroundingFilter(request) : null;
  let waiting = Promise.resolve();
  let isOver = false;
  const finalText = request.format === 'html' ? new TrimmedText() : new FinalText();
  const cited = new CitedReply(request);
  const raw = new GrowingText();
  const emitted = new GrowingText();
  const emit = (piece: string) => {
    if (isOver) return;
    if (piece) onText(piece);
    emitted.push(piece);
  };
  const filterAndEmit = (delta: string, ended: boolean) => {
    const text = groundingFilter ? finalText.push(delta, ended) : delta;
    const emitNext = () => emit(cited.push(groundingFilter ? groundingFilter.push(text, ended) : text, false));
    if (!scout) return emitNext();
    scout.push(text, ended);
    const judged = request.verdicts?.settled();
    waiting = waiting.then(() => judged).then(() => (isOver ? undefined : emitNext()));
  };
  return {
    push(delta) {
      raw.push(delta);
      if (request.format !== 'json') filterAndEmit(delta, false);
    },
    written() {
      if (!groundingFilter) return raw.toString();
      if (!scout) filterAndEmit('', true);
      return groundingFilter.result().text;
    },
    judged(ended) {
      if (scout && ended) filterAndEmit('', true);
      return waiting;
    },
    end(content) {
      const sent = emitted.toString();
      if (content.startsWith(sent)) emit(content.slice(sent.length));
    },
    stopped() {
      isOver = true;
      const { withheld, checks } = groundingFilter?.result() ?? unchecked;
      return {
        content: emitted.toString(),
        toolCalls: null,
        references: cited.references,
        finish: 'stopped',
        withheld,
        checks,
      };
    },
  };
}

/** Emits streamed text once what follows can no longer change it, with marks and code in one piece. */
class FinalText {
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
