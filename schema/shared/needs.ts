import { defaultFieldResolver, type GraphQLSchema, isObjectType } from 'graphql';
import type { Context } from '../../src/context.ts';
import { type Permission, permit } from '../../src/core/permissions.ts';

/** Makes fields check the permission that they declare by `extensions: needs('….read')`. */
export function guardFields(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const permission = field.extensions.parleyNeeds as Permission | undefined;
      if (!permission) continue;
      const { resolve = defaultFieldResolver } = field;
      field.resolve = (row, args, context: Context, info) => {
        permit(context, permission);
        return resolve(row, args, context, info);
      };
    }
  }
  return schema;
}
