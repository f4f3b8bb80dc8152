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

/**
 * A value for a column of folded texts, joined by spaces: each is either given, already folded, or another column of
 * the row as it is. Rows whose columns the database may fold otherwise than src/text/fold.ts do are not changed.
 */
export class FoldedColumns {
  readonly texts: readonly (string | { column: string })[];

  constructor(texts: FoldedColumns['texts']) {
    this.texts = texts;
  }
}

/**
 * Characters beyond Latin letters, as a regular expression of PostgreSQL: which of them are letters, and how those are
 * decomposed, depends on its version of Unicode.
 */
export const beyondLatin = '[^\\u0001-\\u024F\\u1E00-\\u1EFF]';

/** Whether Prisma cannot express a condition, so that a statement must read the rows' keys first. */
export function needsSql(where: unknown): boolean {
  if (where instanceof FoldedText || where instanceof JsonKey) return true;
  if (typeof where !== 'object' || where === null || where instanceof Date) return false;
  return Object.values(where).some(needsSql);
}
