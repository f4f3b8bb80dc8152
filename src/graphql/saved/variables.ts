import {
  type GraphQLInputType,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromASTUntyped,
} from 'graphql';
import type { KnownOperation } from './known.ts';

/** JSON Schema of one value. */
export type JsonSchema = Record<string, unknown>;

/** A variable of an operation, as callers that know no GraphQL see it. */
export type Variable = {
  name: string;
  type: GraphQLInputType;
  schema: JsonSchema;
  /** Whether a caller has to give it: it has no default, neither in the document nor saved. */
  required: boolean;
};

/**
 * The variables of a valid operation, with JSON Schema of their values. Types of input are in `definitions`, by name,
 * to which the schemas refer below `at`. `saved` are values for those that a caller omits.
 */
export function variablesOf(
  schema: GraphQLSchema,
  { variableDefinitions }: Pick<KnownOperation, 'variableDefinitions'>,
  { saved, at }: { saved: Record<string, unknown>; at: string },
): { variables: Variable[]; definitions: Record<string, JsonSchema> } {
  const definitions: Record<string, JsonSchema> = {};
  const variables = variableDefinitions.map((definition): Variable => {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type) as GraphQLInputType;
    const standard = Object.hasOwn(saved, name) ? saved[name] : defaultOf(definition);
    return {
      name,
      type,
      schema: {
        ...schemaOf(type, definitions, at),
        ...(definition.description && { description: definition.description.value }),
        ...(standard != null && { default: standard }),
      },
      required: isNonNullType(type) && standard === undefined,
    };
  });
  return { variables, definitions };
}

/** JSON Schema of all variables of a valid operation, as one object with its types of input in `$defs`. */
export function inputSchemaOf(
  schema: GraphQLSchema,
  operation: Pick<KnownOperation, 'variableDefinitions'>,
  saved: Record<string, unknown>,
): { type: 'object' } & JsonSchema {
  const { variables, definitions } = variablesOf(schema, operation, { saved, at: '#/$defs/' });
  const required = variables.filter((variable) => variable.required).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(variables.map(({ name, schema: value }) => [name, value])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
  };
}

const defaultOf = ({ defaultValue }: VariableDefinitionNode): unknown =>
  defaultValue && valueFromASTUntyped(defaultValue);

const scalars: Record<string, JsonSchema> = {
  Int: { type: 'integer' },
  NonNegativeInt: { type: 'integer', minimum: 0 },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  JSON: {},
  JSONObject: { type: 'object' },
};

function schemaOf(type: GraphQLInputType, definitions: Record<string, JsonSchema>, at: string): JsonSchema {
  if (isNonNullType(type)) return schemaOf(type.ofType, definitions, at);
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType, definitions, at) };
  if (isInputObjectType(type)) {
    define(type, definitions, at);
    return { $ref: `${at}${type.name}` };
  }
  const described = type.description && !(type.name in builtIn) ? { description: type.description } : {};
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name), ...described };
  return { ...(scalars[type.name] ?? { type: 'string' }), ...described };
}

/** Scalars that need no description. */
const builtIn: Record<string, true> = { Int: true, Float: true, Boolean: true, String: true, ID: true };

function define(type: GraphQLNamedInputType, definitions: Record<string, JsonSchema>, at: string): void {
  if (!isInputObjectType(type) || definitions[type.name]) return;
  const definition: JsonSchema = { type: 'object' };
  // Before its fields, which may refer to it.
  definitions[type.name] = definition;
  const fields = Object.values(type.getFields());
  const required = fields.filter((field) => isNonNullType(field.type) && field.defaultValue === undefined);
  Object.assign(definition, {
    ...(type.description && { description: type.description }),
    properties: Object.fromEntries(
      fields.map((field) => [
        field.name,
        { ...schemaOf(field.type, definitions, at), ...(field.description && { description: field.description }) },
      ]),
    ),
    ...(required.length > 0 && { required: required.map(({ name }) => name) }),
    additionalProperties: false,
  });
}

/** Whether the values of a type are written as JSON in a parameter of an address. */
export const isObjectLike = (type: GraphQLInputType): boolean => {
  const named = getNamedType(type);
  return isInputObjectType(named) || named.name === 'JSON' || named.name === 'JSONObject';
};
