import type { Context } from '../../context.ts';
import { transact } from '../../database/client.ts';
import type { Work } from '../../database/ending.ts';

/**
 * Runs the last write of an operation that awaits something outside the database, in one transaction. If the request
 * has an Idempotency-Key, that transaction stays open and also stores the response; queries of `context` made after
 * `work` run in it.
 */
export const conclude = <T>(context: Context, work: Work<T>): Promise<T> =>
  context.keyed?.ending ? context.keyed.ending.begin(context, work) : transact(context.database, work);
