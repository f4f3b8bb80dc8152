import type { Context } from '../../context.ts';
import { transact } from '../../database/client.ts';
import type { Work } from '../../database/ending.ts';

/**
 * The last write of an operation that has waited for something outside the database, in one transaction. Where the request
 * came with an Idempotency-Key, its answer is stored in the same one, which so stays open while the answer is made: what
 * `context` reads from then on, it reads there.
 */
export const conclude = <T>(context: Context, work: Work<T>): Promise<T> =>
  context.keyed?.ending ? context.keyed.ending.begin(context, work) : transact(context.database, work);
