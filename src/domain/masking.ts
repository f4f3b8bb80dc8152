export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const secretName = /secret|token|password|passwd|credential|private|api_?-?key|access_?-?key|signature|^auth/i;
const mask = '••••';

/** What stands in the place of a secret: enough of a long one to tell it from another. */
export const masked = (secret: string): string => (secret.length > 12 ? `${mask}${secret.slice(-4)}` : mask);

/** A copy in which the texts and numbers under secret-looking keys are masked, at any depth. */
export function maskSecrets(value: Json, secret = false): Json {
  if (Array.isArray(value)) return value.map((item) => maskSecrets(item, secret));
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, maskSecrets(item, secret || secretName.test(key))]),
    );
  }
  return secret && value !== null && typeof value !== 'boolean' ? masked(String(value)) : value;
}

/** Whether a value may be one that was read masked: most that are sent hold no mask, and nothing is to be put back. */
export const mayHoldMasked = (value: Json): boolean => JSON.stringify(value).includes(mask);

/** The given value, with what was sent back masked put back from the old one: reading and writing again changes nothing. */
export function restoreMasked(given: Json, old: Json | undefined, secret = false): Json {
  if (Array.isArray(given))
    return given.map((item, i) => restoreMasked(item, Array.isArray(old) ? old[i] : undefined, secret));
  if (given !== null && typeof given === 'object') {
    const before = old !== null && typeof old === 'object' && !Array.isArray(old) ? old : {};
    return Object.fromEntries(
      Object.entries(given).map(([key, item]) => [
        key,
        restoreMasked(item, before[key], secret || secretName.test(key)),
      ]),
    );
  }
  return secret && old !== undefined && given === maskSecrets(old, true) ? old : given;
}
