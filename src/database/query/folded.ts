import { JsonKey } from './json-key.ts';

/**
 * A condition on a text without regard to case and accents, as lists are searched. The database folds both texts
 * (`"foldName"`, the same as src/text/fold.ts); Prisma cannot say it.
 */
export class FoldedText {
  readonly operator: 'equals' | 'in' | 'contains' | 'startsWith';
  readonly operand: string | readonly string[];

  constructor(operator: FoldedText['operator'], operand: FoldedText['operand']) {
    this.operator = operator;
    this.operand = operand;
  }
}

/** Whether a condition is one that Prisma cannot say, so that the keys of the rows are to be read by a statement first. */
export function needsSql(where: unknown): boolean {
  if (where instanceof FoldedText || where instanceof JsonKey) return true;
  if (typeof where !== 'object' || where === null || where instanceof Date) return false;
  return Object.values(where).some(needsSql);
}
