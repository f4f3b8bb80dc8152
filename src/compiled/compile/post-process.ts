import type { GraphQLError, VariableValues } from 'graphql';
import type { Context } from '../../context.ts';
import { lazy } from '../../core/lazy.ts';
import { type ChargedCost, withAdmission } from '../../graphql/price/index.ts';
import { type Pieces, text } from '../../lists/sql/sql.ts';
import { unsupported } from '../../lists/unsupported.ts';

/** What post-processing needs of a run; it adds the errors of the response. */
export type Run = {
  context: Context;
  /** The context of resolvers. */
  resolving: () => Context;
  variables: VariableValues;
  errors: GraphQLError[];
};
/** Converts a value that the database wrote as JSON; returns JSON. */
export type PostProcessor = (value: unknown, run: Run) => string | Promise<string>;

export const runOf = (context: Context, variables: VariableValues, paid: ChargedCost): Run => ({
  context,
  resolving: lazy(() => withAdmission(context, paid)),
  variables,
  errors: [],
});

// Control characters, which JSON always escapes, so the database never writes them.
const open = '\u0001';
const separator = '\u001f';
const close = '\u0002';

/** Replaces a row that could not be written, so that it is not silently omitted: the whole response is rejected. */
export const unwrittenRow = open;

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
  apply(response: string, run: Run): string | Promise<string> {
    let from = response.indexOf(open);
    if (from < 0) return response;
    const parts: Promise<string>[] = [];
    let output = '';
    let done = 0;
    for (; from >= 0; from = response.indexOf(open, done)) {
      const value = response.indexOf(separator, from);
      const end = response.indexOf(close, value);
      const processor = this.#processors[Number(response.slice(from + 1, value))] ?? unsupported('an unknown mark');
      const converted = processor(JSON.parse(response.slice(value + 1, end)), run);
      output += response.slice(done, from);
      if (typeof converted === 'string') {
        output += converted;
      } else {
        parts.push(Promise.resolve(output), converted);
        output = '';
      }
      done = end + 1;
    }
    output += response.slice(done);
    if (parts.length === 0) return output;
    return Promise.all(parts).then((all) => all.join('') + output);
  }
}
