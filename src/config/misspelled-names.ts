import { distance } from 'fastest-levenshtein';

/**
 * Shorter names are close to too many others (LANG and LANE, HOME and HOST): for these, only a swap of two letters
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
): { given: string; meant: string }[] {
  const missing = known.filter((name) => !env[name]?.trim());
  return Object.keys(env).flatMap((given) => {
    if (known.includes(given)) return [];
    const meant = missing.find((name) => isSlip(given.toUpperCase(), name));
    return meant ? [{ given, meant }] : [];
  });
}

function isSlip(given: string, name: string): boolean {
  if (name.length >= LONG) return distance(given, name) <= 2;
  return given !== name && Array.from(name, (_, at) => swap(name, at)).includes(given);
}

const swap = (name: string, at: number) => name.slice(0, at) + (name[at + 1] ?? '') + name[at] + name.slice(at + 2);
