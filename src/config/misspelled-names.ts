import { distance } from 'fastest-levenshtein';

/** Shorter names are near too many others: LANG to LANE, HOME to HOST. Of them only two letters may be swapped. */
const LONG = 8;

/**
 * Variables that may be slips of a setting which is not given: within two letters of its name. They may as well belong to
 * another program, so that they are told and refused by nobody. A name that is neither ours nor near ours is left out.
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
