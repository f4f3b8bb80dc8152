import { isObject } from '../core/json.ts';
import type { JsonValue } from '../model/types.ts';
import type { Node } from './read-document.ts';
import type { Schema } from './types.ts';

/** Maximum number of schemas per operation. Beyond it, and where a schema is recursive, anything is allowed. */
const maxSchemas = 1_000;
const deepest = 24;

/** Keywords whose values are schemas: one, a list, or a map by name. All others hold plain values. */
const single = new Set(['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames']);
const several = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const named = new Set(['properties', 'patternProperties', 'dependentSchemas']);
/** Keywords that do not matter to a caller, or that describe responses. */
const dropped = new Set(
  `$ref $id $schema $anchor $dynamicRef $dynamicAnchor $defs definitions $comment xml externalDocs discriminator readOnly
  writeOnly example examples deprecated unevaluatedProperties`.split(/\s+/),
);

export type Inline = (value: unknown) => Schema;

/** Resolves a reference within the document; undefined if it points to nothing here, or is circular. */
export function follow(document: Node, value: unknown): unknown {
  let at = value;
  for (let hops = 0; hops < 20; hops++) {
    if (!isObject(at) || typeof at.$ref !== 'string') return at;
    at = resolve(document, at.$ref);
  }
  return undefined;
}

/**
 * Returns a function that inlines references in the schemas of one operation, since not every model understands them.
 * Only references within the document are followed; external ones become schemas that allow anything.
 */
export function inliner(document: Node): Inline {
  let remaining = maxSchemas;
  const inline = (value: unknown, within: string[]): JsonValue => {
    if (typeof value === 'boolean') return value;
    if (!isObject(value) || --remaining < 0 || within.length > deepest) return {};
    const { $ref } = value;
    if (typeof $ref !== 'string') return copy(value, [...within, '']);
    if (within.includes($ref)) return {};
    const target = inline(resolve(document, $ref), [...within, $ref]);
    const siblings = copy(value, [...within, '']);
    return isObject(target) ? { ...target, ...siblings } : target;
  };
  const copy = (value: Node, within: string[]): Schema =>
    Object.fromEntries(
      Object.entries(value).flatMap(([keyword, held]): [string, JsonValue][] => {
        if (dropped.has(keyword) || keyword.startsWith('x-') || held === undefined) return [];
        if (named.has(keyword)) return isObject(held) ? [[keyword, byName(keyword, held, within)]] : [];
        if (several.has(keyword)) return Array.isArray(held) ? [[keyword, held.map((one) => inline(one, within))]] : [];
        if (single.has(keyword)) return [[keyword, inline(held, within)]];
        if (keyword === 'required') return writable(value, held);
        return [[keyword, held as JsonValue]];
      }),
    );
  const byName = (keyword: string, held: Node, within: string[]): Schema =>
    Object.fromEntries(
      Object.entries(held)
        .filter(([, schema]) => keyword !== 'properties' || !isReadOnly(schema))
        .map(([name, schema]) => [name, inline(schema, within)]),
    );
  /** Read-only properties are not required of a caller. */
  const writable = ({ properties }: Node, held: unknown): [string, JsonValue][] => {
    if (!Array.isArray(held)) return [];
    const names = held.filter((name) => typeof name === 'string');
    return [['required', names.filter((name) => !(isObject(properties) && isReadOnly(properties[name])))]];
  };
  const isReadOnly = (schema: unknown): boolean => {
    const target = follow(document, schema);
    return (isObject(schema) && schema.readOnly === true) || (isObject(target) && target.readOnly === true);
  };
  return (value) => {
    const schema = inline(value, []);
    return isObject(schema) ? (schema as Schema) : {};
  };
}

function resolve(document: Node, reference: string): unknown {
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
