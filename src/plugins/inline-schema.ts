import { isObject } from '../core/json.ts';
import type { JsonValue } from '../model/types.ts';
import { plainKeywords } from './keywords.ts';
import { follow, type Node, resolve } from './references.ts';
import type { Schema } from './types.ts';

/** Maximum number of schemas per operation. Beyond it, and where a schema is recursive, anything is allowed. */
const maxSchemas = 1_000;
const deepest = 24;

/** Keywords whose values are schemas: one, a list, or a map by name. */
const single = new Set(['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames']);
const several = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const named = new Set(['properties', 'patternProperties', 'dependentSchemas']);

export type Inline = (value: unknown) => Schema;

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
  const copy = (value: Node, within: string[]): Schema => {
    const plain = plainKeywords(value);
    const schemas = Object.entries(value).flatMap(([keyword, held]): [string, JsonValue][] => {
      if (named.has(keyword)) return isObject(held) ? [[keyword, byName(keyword, held, within)]] : [];
      if (several.has(keyword)) {
        if (!Array.isArray(held) || held.length === 0) return [];
        // What is left out of an alternative may make a value fit two.
        const name = keyword === 'oneOf' && !('anyOf' in value) ? 'anyOf' : keyword;
        // Every part of `allOf` applies: no discriminator chooses among them.
        const discriminator = keyword === 'anyOf' || keyword === 'oneOf' ? value.discriminator : undefined;
        return [[name, held.map((one) => withDiscriminator(discriminator, one, inline(one, within)))]];
      }
      if (single.has(keyword)) return [[keyword, inline(held, within)]];
      return keyword === 'required' ? writable(value, held) : [];
    });
    const isOpenList = [plain.type].flat().includes('array') && !('items' in value) && !('prefixItems' in value);
    return { ...plain, ...Object.fromEntries(schemas), ...(isOpenList && { items: {} }) };
  };
  const byName = (keyword: string, held: Node, within: string[]): Schema =>
    Object.fromEntries(
      Object.entries(held)
        .filter(([, schema]) => keyword !== 'properties' || !isReadOnly(schema))
        .map(([name, schema]) => [name, inline(schema, within)]),
    );
  /** Read-only properties are not required of a caller. */
  const writable = ({ properties }: Node, held: unknown): [string, JsonValue][] => {
    if (!Array.isArray(held)) return [];
    const names = [...new Set(held.filter((name) => typeof name === 'string'))];
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

/** An alternative that a discriminator chooses, with its value there: a model could not know it otherwise. */
function withDiscriminator(discriminator: unknown, alternative: unknown, schema: JsonValue): JsonValue {
  const property = isObject(discriminator) ? discriminator.propertyName : undefined;
  const reference = isObject(alternative) ? alternative.$ref : undefined;
  if (typeof property !== 'string' || typeof reference !== 'string' || !isObject(schema)) return schema;
  const own = reference.slice(reference.lastIndexOf('/') + 1);
  const mapping =
    isObject(discriminator) && isObject(discriminator.mapping) ? Object.entries(discriminator.mapping) : [];
  const names = mapping.flatMap(([name, target]) => (target === reference || target === own ? [name] : []));
  const properties = isObject(schema.properties) ? schema.properties : {};
  const held = Object.hasOwn(properties, property) ? properties[property] : null;
  const given = isObject(held) ? held : {};
  const values = 'enum' in given || 'const' in given ? {} : { enum: names.length > 0 ? names : [own] };
  const required = Array.isArray(schema.required) ? schema.required : [];
  return {
    ...(schema as Schema),
    properties: { ...(properties as Schema), [property]: { ...(given as Schema), ...values } },
    required: [...new Set([...required, property])],
  } as Schema;
}
