/** Text as search compares it: without case, accents or compatibility forms ("Ação" and "ACAO" are one). */
export function fold(...texts: (string | null | undefined)[]): string {
  return texts
    .filter(Boolean)
    .join(' ')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}

/** A Prisma text condition "contains this text": `%`, `_` and `\` mean themselves, case and accents do not matter. */
export const containsText = (term: string): { contains: string } => ({
  contains: fold(term).replace(/[\\%_]/g, '\\$&'),
});
