import type { AnswerRows } from './end-at-once.ts';
import type { TurnResult } from './types.ts';

const written = new WeakMap<TurnResult, AnswerRows>();

/**
 * Remembers the rows of a result that this process has just written, so that its first reader need not read them back.
 */
export const noteWritten = (result: TurnResult, rows: AnswerRows): void => void written.set(result, rows);

/** The rows of a result; undefined if another process wrote them, or more than one statement did. */
export const writtenOf = (result: TurnResult): AnswerRows | undefined => written.get(result);
