import type { Context } from '../context.ts';
import { type Pieces, text } from './sql.ts';
import { unsupported } from './unsupported.ts';

/** What JavaScript makes of a value that the database wrote as JSON; it answers JSON. */
export type PostProcessor = (value: unknown, context: Context) => string;

// Control characters, which in JSON stand only escaped: nothing that the database writes can be taken for them.
const open = '\u0001';
const middle = '\u001f';
const close = '\u0002';

/** What stands for a row that could not be written, so that it is not left out in silence: the whole is refused. */
export const unwritten = open;

/** The parts of a response that the database cannot write as JavaScript would: it marks them, and they are finished. */
export class PostProcessors {
  readonly #finishers: PostProcessor[] = [];

  /** A mark around a value's JSON. */
  mark(json: Pieces, finisher: PostProcessor): Pieces {
    let index = this.#finishers.indexOf(finisher);
    if (index < 0) index = this.#finishers.push(finisher) - 1;
    return [...text(`${open}${index}${middle}`), ...json, ...text(close)];
  }

  /** The response with every marked value finished. */
  finish(response: string, context: Context): string {
    let from = response.indexOf(open);
    if (from < 0) return response;
    let finished = '';
    let done = 0;
    for (; from >= 0; from = response.indexOf(open, done)) {
      const value = response.indexOf(middle, from);
      const end = response.indexOf(close, value);
      const finisher = this.#finishers[Number(response.slice(from + 1, value))] ?? unsupported('an unknown mark');
      finished += response.slice(done, from) + finisher(JSON.parse(response.slice(value + 1, end)), context);
      done = end + 1;
    }
    return finished + response.slice(done);
  }
}
