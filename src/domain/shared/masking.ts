import { isObject } from '../../core/json.ts';
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/**
 * Keys, as `normalizeKey` normalizes them, whose values may be shown to anyone who may read the row. Anything else may
 * be a secret.
 */
const plainKeys = new Set(
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
const normalizeKey = (key: string): string => key.toLowerCase().replaceAll(/[_-]/g, '');
const mask = '••••';

/** Replaces a secret; the end of a long one stays, to tell it from others. */
export const masked = (secret: string): string => (secret.length > 12 ? `${mask}${secret.slice(-4)}` : mask);

/** Whether a text may contain a user name or a token, as URLs do, even under a harmless key. */
const mayHoldSecret = (text: string): boolean => /.@|=|:\/\/.*[?#]/s.test(text);

/**
 * Returns a copy in which all strings and numbers are masked, at any depth, unless they and all of their ancestors are
 * under harmless keys. Booleans and nulls are kept.
 */
export function maskSecrets(value: Json, isPublic = true): Json {
  if (Array.isArray(value)) return value.map((item) => maskSecrets(item, isPublic));
  if (isObject(value)) {
    const entries = Object.entries(value).map(([key, item]) => [
      key,
      maskSecrets(item, isPublic && plainKeys.has(normalizeKey(key))),
    ]);
    return Object.fromEntries(entries);
  }
  if (value === null || typeof value === 'boolean') return value;
  const text = String(value);
  return isPublic && !mayHoldSecret(text) ? value : masked(text);
}

/** Whether a value may contain masked parts: most input does not, and nothing needs to be restored. */
export const mayHoldMasked = (value: Json): boolean => JSON.stringify(value).includes(mask);

/** A masked value that cannot be restored, and its path. */
export class UnknownMask extends Error {
  constructor(path: string) {
    super(`${path}: is masked, but differs from the masked value that was returned: send the value itself`);
  }
}

/** Limits the comparisons of changed list items with old ones: crafted input could cause very many. */
const MOST_TRIES = 2_000;

/**
 * Returns the given value with masked parts restored from the old one, so that writing back what was read changes
 * nothing, even if list items have moved. Throws `UnknownMask` for a mask that matches no old value, or several
 * different ones.
 */
export function restoreMasked(input: Json, stored: Json, path = ''): Json {
  let tries = 0;

  function restore(value: Json, before: Json | undefined, isPublic: boolean, at: string): Json {
    if (Array.isArray(value)) return restoreList(value, Array.isArray(before) ? before : [], isPublic, at);
    if (isObject(value)) {
      const storedKeys = isObject(before) ? before : {};
      const entries = Object.entries(value).map(([key, item]) => {
        const childIsPublic = isPublic && plainKeys.has(normalizeKey(key));
        return [
          key,
          restore(item, Object.hasOwn(storedKeys, key) ? storedKeys[key] : undefined, childIsPublic, `${at}.${key}`),
        ];
      });
      return Object.fromEntries(entries);
    }
    if (typeof value !== 'string' || !value.startsWith(mask) || value === before) return value;
    if (before !== undefined && value === maskSecrets(before, isPublic)) return before;
    throw new UnknownMask(at);
  }

  /**
   * An item is the old one with the same masked form or, if a part of it was changed, the only one that it can be
   * restored from.
   */
  function restoreList(items: Json[], before: Json[], isPublic: boolean, at: string): Json[] {
    const byMasked = Map.groupBy(before, (item) => JSON.stringify(maskSecrets(item, isPublic)));
    return items.map((item, index) => {
      if (!mayHoldMasked(item)) return item;
      const here = `${at}.${index}`;
      const identical = byMasked.get(JSON.stringify(item));
      const matches =
        identical ?? (isStructure(item) ? before.flatMap((stored) => attempt(item, stored, isPublic, here)) : []);
      const isUnambiguous = new Set(matches.map((each) => JSON.stringify(each))).size === 1;
      if (isUnambiguous) return matches[0] as Json;
      // Among several candidates, the index decides, provided that the list has kept its length.
      const atSameIndex = matches.length > 0 && items.length === before.length ? before[index] : undefined;
      if (atSameIndex === undefined || (identical && !identical.includes(atSameIndex))) throw new UnknownMask(here);
      return restore(item, atSameIndex, isPublic, here);
    });
  }

  function attempt(item: Json, stored: Json, isPublic: boolean, at: string): Json[] {
    try {
      if (++tries > MOST_TRIES) throw new UnknownMask(at);
      return [restore(item, stored, isPublic, at)];
    } catch (error) {
      if (error instanceof UnknownMask && tries <= MOST_TRIES) return [];
      throw error;
    }
  }

  return restore(input, stored, true, path);
}

const isStructure = (value: Json): boolean => value !== null && typeof value === 'object';
