import { isObject } from '../core/json.ts';

export type Node = { [key: string]: unknown };

/** Resolves a reference within the document; undefined if it points to nothing here, or is circular. */
export function follow(document: Node, value: unknown): unknown {
  let at = value;
  for (let hops = 0; hops < 20; hops++) {
    if (!isObject(at) || typeof at.$ref !== 'string') return at;
    at = resolve(document, at.$ref);
  }
  return undefined;
}

/** What a reference points to in the document; undefined if nothing. */
export function resolve(document: Node, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  let at: unknown = document;
  for (const step of reference.slice(2).split('/')) {
    const key = unescape(step);
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Node)[key];
  }
  return at;
}

function unescape(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return step;
  }
}
