import { GraphQLError, type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql';

/** Only so many fields are listed; types with more are those whose fields are easily found, such as Query. */
const maxFields = 40;
const unknownField = /^Cannot query field "\w+" on type "(\w+)"\.$/;

/** Adds the fields of the type to the error about an unknown field, where graphql-js found none that is named alike. */
export function withNamedFields(error: GraphQLError, schema: GraphQLSchema): GraphQLError {
  const [, name = ''] = unknownField.exec(error.message) ?? [];
  const type = schema.getType(name);
  const fields = isObjectType(type) || isInterfaceType(type) ? Object.keys(type.getFields()) : [];
  if (fields.length === 0 || fields.length > maxFields) return error;
  const { nodes, source, positions, path, originalError, extensions } = error;
  const message = `${error.message} Its fields are ${fields.join(', ')}.`;
  return new GraphQLError(message, { nodes, source, positions, path, originalError, extensions });
}
