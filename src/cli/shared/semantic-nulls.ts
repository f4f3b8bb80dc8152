import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
} from 'graphql';

type Field = GraphQLField<unknown, unknown>;

/**
 * Whether a field is null only where it has failed. Of fields that can fail, such as lists and root fields, the
 * description says if they are also null otherwise.
 */
export function isNullOnlyInError(schema: GraphQLSchema, type: GraphQLObjectType, field: Field): boolean {
  const isRoot = [schema.getQueryType(), schema.getMutationType()].includes(type);
  // The key of a group is null for the rows that lack it, and a payload's row for a key that may not read it.
  const canFail = isRoot || !(isLeafType(getNamedType(field.type)) || /(GroupBy|Payload)$/.test(type.name));
  return canFail && !isNonNullType(field.type) && !/\bnull\b/.test(field.description ?? '');
}

const directive = 'semanticNonNull';
const definition = `"""
The field is \`null\` only where it has failed, with an error at its path. Clients that treat errors apart can take it for non-null.
"""
directive @${directive}(levels: [Int!]! = [0]) on FIELD_DEFINITION

`;

/** Adds `@semanticNonNull` to the text of a schema, which introspection cannot show. */
export function withSemanticNonNull(schema: GraphQLSchema, text: string): string {
  const ends = parse(text).definitions.flatMap((node) => {
    if (node.kind !== Kind.OBJECT_TYPE_DEFINITION) return [];
    const type = schema.getType(node.name.value);
    return (node.fields ?? []).flatMap((field) => {
      const found = isObjectType(type) ? type.getFields()[field.name.value] : undefined;
      const isMarked = found && isNullOnlyInError(schema, type as GraphQLObjectType, found);
      return isMarked && field.type.loc ? [field.type.loc.end] : [];
    });
  });
  const parts = [0, ...ends].map((start, index) => text.slice(start, ends[index]));
  return definition + parts.join(` @${directive}`);
}
