import type { JsonValue } from '../model/types.ts';
import type { Parameter } from './types.ts';

type Values = { [name: string]: JsonValue };

const isObject = (value: JsonValue): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What stands for one value: of a list or object within another there is no rule but JSON. */
const plain = (value: JsonValue): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');

/** Percent-encoded whole; with `allowReserved` but for the characters that cannot end what they stand in. */
const encoderOf =
  ({ allowReserved }: Pick<Parameter, 'allowReserved'>) =>
  (value: JsonValue) => {
    const encoded = strict(plain(value));
    return allowReserved
      ? encoded.replace(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B|5B|5D)/g, decodeURIComponent)
      : encoded;
  };

const strict = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

/** The value of a parameter in a path, as its style says: it stands in the place of `{name}`. */
export function encodePath({ name, style, explode, ...parameter }: Parameter, value: JsonValue): string {
  const encode = encoderOf({ ...parameter, allowReserved: false });
  const flat = listOf(value, encode);
  if (style === 'json') return encode(JSON.stringify(value));
  if (style === 'simple') return (explode ? pairsOf(value, encode) : flat).join(',');
  if (style === 'label') return `.${(explode ? pairsOf(value, encode) : flat).join(explode ? '.' : ',')}`;
  const own = strict(name);
  const assigned = (text: string) => (text === '' ? `;${own}` : `;${own}=${text}`);
  if (!explode || !(Array.isArray(value) || isObject(value))) return assigned(flat.join(','));
  return Array.isArray(value)
    ? flat.map(assigned).join('')
    : pairsOf(value, encode)
        .map((pair) => `;${pair}`)
        .join('');
}

/** The parts of a query that a parameter is, without `&` between them; none for an empty list or object. */
export function encodeQuery({ name, style, explode, ...parameter }: Parameter, value: JsonValue): string[] {
  const encode = encoderOf(parameter);
  const own = strict(name);
  if (style === 'json') return [`${own}=${encode(JSON.stringify(value))}`];
  const flat = listOf(value, encode);
  if (flat.length === 0) return [];
  if (style === 'deepObject' && isObject(value)) return deepPairs(own, value, encode);
  if (explode && isObject(value)) return pairsOf(value, encode);
  if (explode || !(Array.isArray(value) || isObject(value))) return flat.map((text) => `${own}=${text}`);
  const between = style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : ',';
  return [`${own}=${flat.join(between)}`];
}

/** The value of a header: not percent-encoded. */
export function encodeHeader({ style, explode }: Parameter, value: JsonValue): string {
  if (style === 'json') return JSON.stringify(value);
  return (explode ? pairsOf(value, plain) : listOf(value, plain)).join(',');
}

/** The items of a list; the names and values of an object in turn; or the one value. */
function listOf(value: JsonValue, encode: (value: JsonValue) => string): string[] {
  if (Array.isArray(value)) return value.map(encode);
  return isObject(value)
    ? Object.entries(value).flatMap(([key, held]) => [encode(key), encode(held)])
    : [encode(value)];
}

/** `name=value` of an object; of all else the values alone. */
const pairsOf = (value: JsonValue, encode: (value: JsonValue) => string): string[] =>
  isObject(value)
    ? Object.entries(value).map(([key, held]) => `${encode(key)}=${encode(held)}`)
    : listOf(value, encode);

function deepPairs(own: string, value: Values, encode: (value: JsonValue) => string): string[] {
  return Object.entries(value).flatMap(([key, held]): string[] => {
    const name = `${own}%5B${strict(key)}%5D`;
    if (isObject(held)) return deepPairs(name, held, encode);
    return (Array.isArray(held) ? held : [held]).map((one) => `${name}=${encode(one)}`);
  });
}
