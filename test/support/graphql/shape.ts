import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { schema } from '../../../schema/index.ts';

export { schema };
export type Field = GraphQLField<unknown, unknown>;
export type Path = (string | number)[];

const rootTypes = {
  Query: schema.getQueryType(),
  Mutation: schema.getMutationType(),
  Subscription: schema.getSubscriptionType(),
};
export type Root = keyof typeof rootTypes;
export const roots = Object.keys(rootTypes) as Root[];

/** The fields of a root type; none if the schema has no such type. */
export const rootFields = (root: Root): Field[] => Object.values(rootTypes[root]?.getFields() ?? {});

/** The name of a field's type, without wrappers. */
export const typeNameOf = ({ type }: Field): string => getNamedType(type).name;

/** Every type with an id. */
export const nodeTypes = (): GraphQLObjectType[] =>
  objectTypes().filter((type) => type.getInterfaces().some(({ name }) => name === 'Node'));

const objectTypes = (): GraphQLObjectType[] =>
  Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'),
  );

/** A list: a connection field of Query or of another type, and the type of its rows. */
export type Connection = { name: string; owner: string; field: Field; row: GraphQLObjectType };

/** Every list of rows in the schema, without groups and their rows. */
export function connections(): Connection[] {
  return objectTypes().flatMap((owner) =>
    Object.values(owner.getFields()).flatMap((field) => {
      const type = getNamedType(field.type);
      if (!isObjectType(type) || !type.name.endsWith('Connection')) return [];
      if (field.name === 'groups' || owner.name.endsWith('Group')) return [];
      const row = getNamedType(type.getFields().nodes?.type as GraphQLOutputType) as GraphQLObjectType;
      return [{ name: `${owner.name}.${field.name}`, owner: owner.name, field, row }];
    }),
  );
}

/** A place for an id: its path in the variables, and a readable name (`Type.field` or `field(argument)`). */
export type IdPlace = { path: Path; name: string };

/** Every place for an id in a field's arguments, by type or name, including nested inputs and lists. */
export const idPlaces = (field: Field): IdPlace[] =>
  field.args.flatMap((argument) => placesIn(argument, [], `${field.name}(${argument.name})`, []));

function placesIn(
  given: GraphQLArgument | GraphQLInputField,
  above: Path,
  name: string,
  within: GraphQLNamedType[],
): IdPlace[] {
  const path = [...above, given.name, ...listSteps(given.type)];
  const type = getNamedType(given.type);
  if (type.name === 'ID' ? given.name !== 'clientMutationId' : isLeafType(type) && isIdName(given.name))
    return [{ path, name }];
  if (!isInputObjectType(type) || within.includes(type)) return [];
  return Object.values(type.getFields()).flatMap((field) =>
    placesIn(field, path, `${type.name}.${field.name}`, [...within, type]),
  );
}

/** Whether a name denotes an id, whatever its type. */
export const isIdName = (name: string): boolean => /^ids?$|[a-z]Ids?$/.test(name);

function listSteps(type: GraphQLInputType): number[] {
  const nullable = getNullableType(type);
  return isListType(nullable) ? [0, ...listSteps(nullable.ofType)] : [];
}

export const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, step) => (inner as Record<string | number, unknown> | undefined)?.[step], value);

/** A copy of `value` with another value at the path. */
export function withValueAt<T>(value: T, path: Path, replacement: unknown): T {
  const copy = structuredClone(value);
  const parent = valueAt(copy, path.slice(0, -1)) as Record<string | number, unknown>;
  parent[path.at(-1) as string | number] = replacement;
  return copy;
}

/** All fields without required arguments, and those of related rows up to a depth; three rows per list. */
export function selectionOf(type: GraphQLNamedType, depth: number): string {
  if (isLeafType(type)) return '';
  if (!isObjectType(type)) return ' { __typename ... on Node { id } }';
  const { nodes } = type.getFields();
  if (type.name.endsWith('Connection') && nodes)
    return ` { totalCount nodes${selectionOf(getNamedType(nodes.type), depth)} }`;
  const fields = Object.values(type.getFields()).flatMap((field) => {
    const inner = getNamedType(field.type);
    if (field.args.some(isRequiredArgument) || (depth === 0 && !isLeafType(inner))) return [];
    const page = field.args.some(({ name }) => name === 'first') ? '(first: 3)' : '';
    return [`${field.name}${page}${selectionOf(inner, depth - 1)}`];
  });
  return ` { ${fields.join(' ')} }`;
}

/** A document that calls one root field, with all of its arguments as variables. */
export function documentOf(root: Root, field: Field, depth = 1): string {
  const variables = field.args.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const given = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
  const wrap = (text: string) => (text === '' ? '' : `(${text})`);
  const selection = selectionOf(getNamedType(field.type), depth);
  return `${root.toLowerCase()} Try${wrap(variables)} { ${field.name}${wrap(given)}${selection} }`;
}
