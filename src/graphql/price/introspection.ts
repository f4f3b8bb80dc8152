import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
} from 'graphql';
import { memoize } from '../../core/lazy.ts';

/** How many fields of the introspection cost one point: they are read from no table, but all at once. */
export const describedPerPoint = 100;

type Sizes = Record<string, { usual: number; most: number }>;

const sizesOf = memoize((schema: GraphQLSchema): Sizes => {
  const types = Object.values(schema.getTypeMap());
  const fields = types.flatMap((type) => fieldsOf(type));
  return {
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

/**
 * How many objects or values a field of the introspection has: as many as usual if it is asked of all types, and else as many as
 * any, since the caller names the type.
 */
export function describedBy(schema: GraphQLSchema, { name, type }: GraphQLField<unknown, unknown>, ofAll: boolean) {
  const known = isListType(getNullableType(type)) ? sizesOf(schema)[name] : undefined;
  return (ofAll ? known?.usual : known?.most) ?? 1;
}

function fieldsOf(type: GraphQLNamedType): GraphQLField<unknown, unknown>[] {
  return isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
}

const sizes = (all: readonly number[]) => ({
  usual: all.reduce((sum, one) => sum + one, 0) / Math.max(all.length, 1),
  most: Math.max(1, ...all),
});
