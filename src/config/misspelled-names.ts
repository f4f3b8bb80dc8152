import { distance } from 'fastest-levenshtein';

/**
 * Shorter names are close to too many others (HOME and HOST): for these, only a swap of two letters
 * counts.
 */
const LONG = 8;

/**
 * Variables that look like misspellings of a setting that is not set: within two edits of its name. They may belong to
 * another program, so this is only good for a warning. Names that are not close to any setting are ignored.
 */
export function misspelledNames(
  env: Record<string, string | undefined>,
  known: string[],
): { misspelled: string; suggestion: string }[] {
  const missing = known.filter((name) => !env[name]?.trim());
  return Object.keys(env).flatMap((misspelled) => {
    if (known.includes(misspelled)) return [];
    const suggestion = missing.find((name) => isSlip(misspelled.toUpperCase(), name));
    return suggestion ? [{ misspelled, suggestion }] : [];
  });
}

function isSlip(misspelled: string, name: string): boolean {
  if (name.length >= LONG) return distance(misspelled, name) <= 2;
  return misspelled !== name && Array.from(name, (_, at) => swap(name, at)).includes(misspelled);
}

const swap = (name: string, at: number) => name.slice(0, at) + (name[at + 1] ?? '') + name[at] + name.slice(at + 2);
