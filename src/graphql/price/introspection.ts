import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { memoize } from '../../core/lazy.ts';

/** How many fields of the introspection cost one point: they are read from no table, but all at once. */
export const describedPerPoint = 100;
/** How many characters of a text take about as long as another field. */
const charactersPerField = 20;

/** Of lists by their names, and of texts with their types. */
type Sizes = Record<string, { usual: number; most: number }>;

const sizesOf = memoize((schema: GraphQLSchema): Sizes => {
  const types = Object.values(schema.getTypeMap());
  const fields = types.flatMap((type) => fieldsOf(type));
  const inputs = types.flatMap((type) => (isInputObjectType(type) ? Object.values(type.getFields()) : []));
  return {
    '__Type.description': texts(types),
    '__Field.description': texts(fields),
    '__InputValue.description': texts([...inputs, ...fields.flatMap(({ args }) => args)]),
    '__EnumValue.description': texts(types.flatMap((type) => (isEnumType(type) ? type.getValues() : []))),
    '__Directive.description': texts(schema.getDirectives()),
    types: sizes([types.length]),
    directives: sizes([schema.getDirectives().length]),
    fields: sizes(types.map((type) => fieldsOf(type).length)),
    args: sizes(fields.map(({ args }) => args.length)),
    inputFields: sizes(types.map((type) => (isInputObjectType(type) ? Object.keys(type.getFields()).length : 0))),
    enumValues: sizes(types.map((type) => (isEnumType(type) ? type.getValues().length : 0))),
    interfaces: sizes(types.map((type) => (isObjectType(type) ? type.getInterfaces().length : 0))),
    possibleTypes: sizes(types.map((type) => (isInterfaceType(type) ? schema.getPossibleTypes(type).length : 0))),
    locations: sizes(schema.getDirectives().map((directive) => directive.locations.length)),
  };
});

/** Whether a field leads from everything of a kind to all that belongs to it, each once. */
export const leadsToAll = (name: string, isOfAll: boolean): boolean =>
  name === 'types' || (isOfAll && /^(fields|args|inputFields|enumValues)$/.test(name));

/**
 * How many objects, values or lengths of texts a field of the introspection has: as many as usual if it is asked of all
 * types, and else as many as any, since the caller names the type.
 */
export function describedBy(
  schema: GraphQLSchema,
  type: GraphQLNamedType,
  { name }: GraphQLField<unknown, unknown>,
  ofAll: boolean,
): number {
  const known = sizesOf(schema)[name] ?? sizesOf(schema)[`${type.name}.${name}`];
  return (ofAll ? known?.usual : known?.most) ?? 1;
}

function fieldsOf(type: GraphQLNamedType): GraphQLField<unknown, unknown>[] {
  return isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
}

const sizes = (all: readonly number[]) => ({
  usual: all.reduce((sum, one) => sum + one, 0) / Math.max(all.length, 1),
  most: Math.max(1, ...all),
});

const texts = (of: readonly { description?: string | null | undefined }[]) =>
  sizes(of.map(({ description }) => 1 + (description?.length ?? 0) / charactersPerField));
