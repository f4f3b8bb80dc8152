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
};

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const objectsIn = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
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

/** What an error says, in words. */
export const wordsOf = (error: Json): string => textIn(error.message) ?? textIn(error.detail) ?? 'an error';
