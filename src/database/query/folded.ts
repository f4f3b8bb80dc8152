import { JsonKey } from './json-key.ts';

/**
 * A text condition that ignores case and accents. The database folds both sides by `"foldName"`, which equals
 * src/text/fold.ts; Prisma cannot express it.
 */
export class FoldedText {
  readonly operator: 'equals' | 'in' | 'contains' | 'startsWith';
  readonly operand: string | readonly string[];

  constructor(operator: FoldedText['operator'], operand: FoldedText['operand']) {
    this.operator = operator;
    this.operand = operand;
  }
}

/** Whether Prisma cannot express a condition, so that a statement must read the rows' keys first. */
export function needsSql(where: unknown): boolean {
  if (where instanceof FoldedText || where instanceof JsonKey) return true;
  if (typeof where !== 'object' || where === null || where instanceof Date) return false;
  return Object.values(where).some(needsSql);
}
