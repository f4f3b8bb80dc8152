import { isObject } from '../core/json.ts';
import type { JsonValue } from '../model/types.ts';
import type { Parameter } from './types.ts';

/** Returns the text of one value. For lists and objects within another, OpenAPI defines nothing but JSON. */
const plain = (value: JsonValue): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');

/** Percent-encodes a value; with `allowReserved`, except reserved characters that cannot end the component. */
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

/** Returns the value of a path parameter in its style, to replace `{name}`. */
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

/** Returns a parameter's parts of the query, to be joined by `&`; none for an empty list or object. */
export function encodeQuery({ name, style, explode, ...parameter }: Parameter, value: JsonValue): string[] {
  const encode = encoderOf(parameter);
  const own = strict(name);
  if (style === 'json') return [`${own}=${encode(JSON.stringify(value))}`];
  const flat = listOf(value, encode);
  if (flat.length === 0) return [];
  if (style === 'deepObject') return deepFields(name, value).map(([field, text]) => `${strict(field)}=${encode(text)}`);
  if (explode && isObject(value)) return pairsOf(value, encode);
  if (explode || !(Array.isArray(value) || isObject(value))) return flat.map((text) => `${own}=${text}`);
  const delimiter = style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : ',';
  return [`${own}=${flat.join(delimiter)}`];
}

/** Returns the value of a header, without percent-encoding. */
export function encodeHeader({ style, explode }: Parameter, value: JsonValue): string {
  if (style === 'json') return JSON.stringify(value);
  return (explode ? pairsOf(value, plain) : listOf(value, plain)).join(',');
}

/** The items of a list; the alternating names and values of an object; or the single value. */
function listOf(value: JsonValue, encode: (value: JsonValue) => string): string[] {
  if (Array.isArray(value)) return value.map(encode);
  return isObject(value)
    ? Object.entries(value).flatMap(([key, held]) => [encode(key), encode(held)])
    : [encode(value)];
}

/** `name=value` pairs of an object; otherwise the values alone. */
const pairsOf = (value: JsonValue, encode: (value: JsonValue) => string): string[] =>
  isObject(value)
    ? Object.entries(value).map(([key, held]) => `${encode(key)}=${encode(held)}`)
    : listOf(value, encode);

/**
 * The fields of a value in brackets, as PHP, Rails and Stripe read them: OpenAPI defines no more than an object of
 * plain values. Lists of plain values repeat their name; those of objects are numbered.
 */
export function deepFields(name: string, value: JsonValue): [string, string][] {
  if (isObject(value)) return Object.entries(value).flatMap(([key, held]) => deepFields(`${name}[${key}]`, held));
  if (!Array.isArray(value)) return [[name, plain(value)]];
  const isNumbered = value.some((one) => typeof one === 'object' && one !== null);
  return value.flatMap((one, index) => deepFields(isNumbered ? `${name}[${index}]` : name, one));
}
