import { z } from 'zod';
import type { Components, JsonSchema } from './schema.ts';

/** The keywords that constrain a value; descriptions and types come from the route's schema. */
const limiting =
  'minLength maxLength pattern format enum const not contentEncoding minItems maxItems uniqueItems minProperties maxProperties minimum maximum exclusiveMinimum exclusiveMaximum anyOf oneOf allOf'.split(
    ' ',
  );

/** Returns the domain's rules for a body as JSON Schema. */
export const rulesAsJson = (rules: z.ZodType): JsonSchema =>
  z.toJSONSchema(rules, {
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
    override: ({ zodSchema, jsonSchema }) => {
      // A preprocessed value is described by the schema that checks it.
      const { def } = zodSchema._zod;
      if (def.type === 'pipe' && def.in._zod.def.type === 'transform') {
        const { $schema: _, ...checked } = rulesAsJson(def.out as z.ZodType);
        Object.assign(jsonSchema, checked);
      }
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  }) as JsonSchema;

/**
 * Adds the rules' constraints to a schema, recursively. Keys that only the rules have are left out; null is allowed
 * where both allow it. Referenced components are constrained in place.
 */
export function limited(schema: JsonSchema, rules: JsonSchema, components: Components): JsonSchema {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
  if (name !== undefined) {
    components[name] = limited(components[name] ?? {}, rules, components);
    return schema;
  }
  const flatRules = withoutNull(rules);
  const isKnown = Object.keys(rules).length > 0;
  const shape = isKnown && flatRules === rules && rules.type !== undefined ? withoutNull(schema) : schema;
  if (shape.anyOf) {
    const choices = (shape.anyOf as JsonSchema[]).map((choice) =>
      choice.type === 'null' ? choice : limited(choice, flatRules, components),
    );
    return { ...shape, anyOf: choices };
  }
  const limits = Object.entries(flatRules).filter(([key]) => limiting.includes(key) && !(key in shape));
  const { properties, items, required = [] } = shape as Parts;
  const { properties: known = {}, items: item = {}, required: needed = [] } = flatRules as Parts;
  const needs = [...new Set([...required, ...needed.filter((key) => properties?.[key])])];
  const keys = Object.entries(properties ?? {}).map(([key, value]) => [
    key,
    limited(value, known[key] ?? {}, components),
  ]);
  return {
    ...shape,
    ...Object.fromEntries(limits),
    ...(flatRules.examples && !shape.examples ? { examples: flatRules.examples } : {}),
    ...(properties && { properties: Object.fromEntries(keys) }),
    ...(items && { items: limited(items, item, components) }),
    ...(needs.length > 0 && { required: needs }),
  };
}

type Parts = { properties?: Record<string, JsonSchema>; items?: JsonSchema; required?: string[] };

/** Returns the schema without null; the same object if it does not allow null. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema as { anyOf?: JsonSchema[]; type?: unknown };
  if (Array.isArray(rest.type) && rest.type.includes('null')) {
    return { ...schema, type: rest.type.find((type) => type !== 'null') };
  }
  const [inner, ...more] = anyOf?.filter(({ type }) => type !== 'null') ?? [];
  const isNullable = anyOf?.some(({ type }) => type === 'null') ?? false;
  return isNullable && inner && more.length === 0 ? withoutNull({ ...inner, ...rest }) : schema;
}
