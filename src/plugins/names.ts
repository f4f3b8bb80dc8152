/** The letters, digits, "_" and "-" of a name, without accents. */
export const identifierOf = (given: string): string =>
  given
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\w-]+/g, '_')
    .replace(/^_+|_+$/g, '');

/** Returns a name that models accept: 1 to 64 letters, digits, "_" and "-". */
export const modelName = (given: string): string => identifierOf(given).slice(0, 64) || 'plugin';

/** Whether providers accept it as the name of an argument: for one other, they refuse all tools of a turn. */
export const isArgumentName = (name: string): boolean => /^[\w.-]{1,64}$/.test(name);

/** Truncates a name to 64 characters, and numbers it if it is taken. */
export function uniqueName(preferred: string, used: Pick<Set<string>, 'has'>): string {
  const name = preferred.slice(0, 64);
  if (!used.has(name)) return name;
  for (let number = 2; ; number++) {
    const numbered = `${preferred.slice(0, 63 - String(number).length)}_${number}`;
    if (!used.has(numbered)) return numbered;
  }
}
