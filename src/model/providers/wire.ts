import { isObject, parsedJson } from '../../core/json.ts';

/** An object of JSON that a provider sent. */
export type Json = Record<string, unknown>;

/** What the responses of a protocol may say, in the form that its SDK accepts: all else is left out. */
export type Wire = {
  /** An event of a stream; null if nothing in it is known. */
  event(given: Json): Json | null;
  /** A response that is not streamed. */
  whole(given: Json): Json;
  /** The events that say the same as a response that is not streamed. */
  events(given: Json): (Json | null)[];
  /** Where `[DONE]` ends a stream: the event that says so, and whether one says it already. */
  end?: { event: Json; isSaidBy(event: Json): boolean };
};

export const objectsIn = (value: unknown): Json[] =>
  !Array.isArray(value) ? [] : value.every(isObject) ? value : value.filter(isObject);
export const objectOr = (value: unknown): Json => (isObject(value) ? value : {});
export const numberIn = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** A text, whether it was sent as text, as a number, or within an object. */
export function textIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (!isObject(value)) return undefined;
  return [value.text, value.content].find((inner) => typeof inner === 'string');
}

/** The arguments of a call as JSON text. */
export const argumentsIn = (value: unknown): string | undefined =>
  isObject(value) ? JSON.stringify(value) : typeof value === 'string' ? value : undefined;

/** The numeric properties of an object, and of its details; undefined if it is not an object. */
export function numbersIn(value: unknown): Json | undefined {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value).map(([key, inner]) => {
    if (/_details$|Details$/.test(key)) return [key, numbersIn(inner)];
    return [key, numberIn(inner)];
  });
  return Object.fromEntries(entries) as Json;
}

/** An error, however it was sent: as an object, as a text, or as the response itself. */
export function errorIn(given: Json): Json | null {
  const { error } = given;
  if (error === undefined || error === null) return given.object === 'error' || given.type === 'error' ? given : null;
  return isObject(error) ? error : { message: typeof error === 'string' ? error : JSON.stringify(error) };
}

/** What an error says, in words. Lists are of frameworks that name each invalid key. */
export const messageOfError = (error: Json): string =>
  [error.message, error.detail, error.msg, error.title].map(wordsIn).find(Boolean) ?? 'an error';

function wordsIn(value: unknown): string | undefined {
  if (!Array.isArray(value)) return textIn(value);
  const each = objectsIn(value).map(({ loc, msg }) => [Array.isArray(loc) ? loc.join('.') : [], msg].flat().join(': '));
  return each.join('; ') || undefined;
}

/** The body of a response that is an error, in the form of a protocol: servers send theirs in a dozen. */
export function errorBody(text: string, type: string, wire: Wire): string {
  const read = parsedJson(text);
  const given: unknown = Array.isArray(read) ? read[0] : read;
  if (given === read && isObject(given) && isObject(given.error) && typeof given.error.message === 'string')
    return text;
  const error = isObject(given) ? (errorIn(given) ?? given) : null;
  if (error) return JSON.stringify(wire.event({ error: { ...error, message: messageOfError(error) } }));
  const words = typeof given === 'string' ? given : /html|xml/.test(type) ? '' : text.trim();
  return words ? JSON.stringify(wire.event({ error: { message: words.slice(0, 2_000) } })) : text;
}
