const halfAtEnd = /[\ud800-\udbff]$/;

/** A text as the database can store it: without NUL, and with a replacement character for half a surrogate pair. */
export const storableText = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** The same for every text of a JSON value, names of properties included. */
export function storableJson<T>(value: T): T;
export function storableJson(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map((each: unknown) => storableJson(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [storableText(name), storableJson(inner)]));
}

/** Makes the pieces of a text storable. Half a pair at the end of a piece waits for its other half. */
export function storablePieces(): { push(piece: string): string; end(): string } {
  let half = '';
  return {
    push(piece) {
      const text = half + piece.replaceAll('\0', '');
      [half = ''] = halfAtEnd.exec(text) ?? [];
      return text.slice(0, text.length - half.length).toWellFormed();
    },
    end: () => half.toWellFormed(),
  };
}
