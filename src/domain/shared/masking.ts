export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** The keys whose values anybody may see who sees the row at all, as `plain` writes them. Whatever else there is may be a secret. */
const harmless = new Set(
  [
    'domain',
    'domains',
    'origin',
    'origins',
    'host',
    'port',
    'page',
    'pageid',
    'phonenumberid',
    'businessaccountid',
  ].concat(['name', 'label', 'region', 'locale', 'language', 'timezone', 'theme', 'color', 'position']),
);
const plain = (key: string): string => key.toLowerCase().replaceAll(/[_-]/g, '');
const mask = '••••';

/** What stands in the place of a secret: enough of a long one to tell it from another. */
export const masked = (secret: string): string => (secret.length > 12 ? `${mask}${secret.slice(-4)}` : mask);

/** Whether a text holds a user or a key, as addresses may: a harmless key does not make it harmless. */
const mayHoldSecret = (text: string): boolean => /.@|=|:\/\/.*[?#]/s.test(text);

/**
 * A copy in which every text and number is masked, at any depth, but where it and all that it lies in have harmless keys.
 * What is true, false or null stays.
 */
export function maskSecrets(value: Json, shown = true): Json {
  if (Array.isArray(value)) return value.map((item) => maskSecrets(item, shown));
  if (isObject(value)) {
    const entries = Object.entries(value).map(([key, item]) => [
      key,
      maskSecrets(item, shown && harmless.has(plain(key))),
    ]);
    return Object.fromEntries(entries);
  }
  if (value === null || typeof value === 'boolean') return value;
  const text = String(value);
  return shown && !mayHoldSecret(text) ? value : masked(text);
}

/** Whether a value may be one that was read masked: most that are sent hold no mask, and nothing is to be put back. */
export const mayHoldMasked = (value: Json): boolean => JSON.stringify(value).includes(mask);

/** What was masked and cannot be put back: where, for whoever sent it. */
export class UnknownMask extends Error {
  constructor(path: string) {
    super(`${path}: is masked, and not as it was read: send the value itself`);
  }
}

/** How often an item that was changed is held against an old one, in all: what is sent may be made to need many. */
const MOST_TRIES = 2_000;

/**
 * The given value, with what was sent back masked put back from the old one: reading and writing again changes nothing,
 * also when items of a list have moved. Throws `UnknownMask` for a mask that stands for no value, or for several.
 */
export function restoreMasked(given: Json, old: Json, path = ''): Json {
  let tries = 0;

  function restore(value: Json, before: Json | undefined, shown: boolean, at: string): Json {
    if (Array.isArray(value)) return restoreList(value, Array.isArray(before) ? before : [], shown, at);
    if (isObject(value)) {
      const known = isObject(before) ? before : {};
      const entries = Object.entries(value).map(([key, item]) => {
        const within = shown && harmless.has(plain(key));
        return [key, restore(item, Object.hasOwn(known, key) ? known[key] : undefined, within, `${at}.${key}`)];
      });
      return Object.fromEntries(entries);
    }
    if (typeof value !== 'string' || !value.startsWith(mask) || value === before) return value;
    if (before !== undefined && value === maskSecrets(before, shown)) return before;
    throw new UnknownMask(at);
  }

  /** An item is the old one that reads the same, or else, when a part of it was changed, the one that it can come from. */
  function restoreList(items: Json[], before: Json[], shown: boolean, at: string): Json[] {
    const byMasked = Map.groupBy(before, (item) => JSON.stringify(maskSecrets(item, shown)));
    return items.map((item, index) => {
      if (!mayHoldMasked(item)) return item;
      const here = `${at}.${index}`;
      const alike = byMasked.get(JSON.stringify(item));
      const found = alike ?? (isStructure(item) ? before.flatMap((old) => attempt(item, old, shown, here)) : []);
      const isOne = new Set(found.map((each) => JSON.stringify(each))).size === 1;
      if (isOne) return found[0] as Json;
      // Which of several is meant only its place can tell, when all are there still.
      const inPlace = found.length > 0 && items.length === before.length ? before[index] : undefined;
      if (inPlace === undefined || (alike && !alike.includes(inPlace))) throw new UnknownMask(here);
      return restore(item, inPlace, shown, here);
    });
  }

  function attempt(item: Json, old: Json, shown: boolean, at: string): Json[] {
    try {
      if (++tries > MOST_TRIES) throw new UnknownMask(at);
      return [restore(item, old, shown, at)];
    } catch (error) {
      if (error instanceof UnknownMask && tries <= MOST_TRIES) return [];
      throw error;
    }
  }

  return restore(given, old, true, path);
}

const isObject = (value: unknown): value is { [key: string]: Json } =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
const isStructure = (value: Json): boolean => value !== null && typeof value === 'object';
