import type { Context } from '../../context.ts';
import { type Pieces, text } from '../sql/sql.ts';
import { unsupported } from '../unsupported.ts';

/** Converts a value that the database wrote as JSON; returns JSON. */
export type PostProcessor = (value: unknown, context: Context) => string;

// Control characters, which JSON always escapes, so the database never writes them.
const open = '\u0001';
const separator = '\u001f';
const close = '\u0002';

/** Replaces a row that could not be written, so that it is not silently omitted: the whole response is rejected. */
export const unwritten = open;

/** Handles values that the database cannot write like JavaScript: it marks them, and they are converted afterwards. */
export class PostProcessors {
  readonly #processors: PostProcessor[] = [];

  /** Adds a mark around a value's JSON. */
  mark(json: Pieces, processor: PostProcessor): Pieces {
    let index = this.#processors.indexOf(processor);
    if (index < 0) index = this.#processors.push(processor) - 1;
    return [...text(`${open}${index}${separator}`), ...json, ...text(close)];
  }

  /** Converts all marked values of a response. */
  apply(response: string, context: Context): string {
    let from = response.indexOf(open);
    if (from < 0) return response;
    let output = '';
    let done = 0;
    for (; from >= 0; from = response.indexOf(open, done)) {
      const value = response.indexOf(separator, from);
      const end = response.indexOf(close, value);
      const processor = this.#processors[Number(response.slice(from + 1, value))] ?? unsupported('an unknown mark');
      output += response.slice(done, from) + processor(JSON.parse(response.slice(value + 1, end)), context);
      done = end + 1;
    }
    return output + response.slice(done);
  }
}
