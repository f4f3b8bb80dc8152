import { z } from 'zod';

export type JsonSchema = { [key: string]: unknown };
export type Components = Record<string, JsonSchema>;

const pointer = '#/components/schemas/';

/**
 * Converts a zod schema to the JSON Schema of OpenAPI 3.1: `input` for what a request may contain, `output` for parsed
 * values and responses. Schemas with an id become components, which are added to `components` and referenced.
 */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output', components: Components): JsonSchema {
  const json = z.toJSONSchema(z.object({ schema }), {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => simplify(jsonSchema),
  });
  const text = JSON.stringify(json).replaceAll('"#/$defs/', `"${pointer}`);
  const { $defs = {}, properties } = JSON.parse(text) as { $defs?: Components; properties: { schema: JsonSchema } };
  for (const [id, component] of Object.entries($defs)) {
    const same = JSON.stringify(components[id] ?? component) === JSON.stringify(component);
    if (!same) throw new Error(`Two schemas have the id ${id}: a request and an answer need one each.`);
    components[id] = component;
  }
  return properties.schema;
}

/** Removes what is of no use to a reader: the pattern of a date next to its format, the bounds of safe integers. */
function simplify(json: JsonSchema): void {
  if (json.format !== undefined) delete json.pattern;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  delete json.propertyNames;
}

type Location = 'path' | 'query' | 'header';

/** Returns the keys of an object as OpenAPI parameters; those that are required with an example. */
export function parametersOf(shape: z.ZodObject | undefined, location: Location, components: Components): object[] {
  return Object.entries(shape?.shape ?? {}).map(([name, field]) => {
    const { description, ...schema } = jsonSchemaOf(field as z.ZodType, 'output', components);
    const required = location === 'path' || !(field as z.ZodType).safeParse(undefined).success;
    const [example] = (required && (schema.examples as unknown[] | undefined)) || [];
    return { name, in: location, required, description, schema, ...(example !== undefined && { example }) };
  });
}
