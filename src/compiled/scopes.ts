import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
  OperationTypeNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Context } from '../context.ts';
import { type Permission, permit } from '../core/permissions.ts';
import { isLimited } from '../database/query/row-limits.ts';
import { readPermissionOf } from '../lists/list-access.ts';
import { unsupported } from '../lists/unsupported.ts';
import type { Operation } from './operation.ts';

const known = new WeakMap<Operation, Permission[]>();

/**
 * Leaves an operation to the resolvers if a key lacks a scope for any of its types, since they report the refused
 * fields and return the others; likewise changes by a limited key. Other bearers pass.
 */
export function requireScopes(schema: GraphQLSchema, operation: Operation, context: Context): void {
  if (!context.viewer.key) return;
  if (operation.node.operation === OperationTypeNode.MUTATION && isLimited(context.viewer)) {
    unsupported('a change by a key for some rows alone');
  }
  const needed = known.get(operation) ?? readingPermissions(schema, operation.document);
  known.set(operation, needed);
  for (const permission of needed) permit(context, permission);
}

function readingPermissions(schema: GraphQLSchema, document: DocumentNode): Permission[] {
  const types = new TypeInfo(schema);
  const needed = new Set<Permission>();
  const collect = (type: unknown) => {
    // The type of a union is known only at run time; a node is checked by its id.
    const visibleTypes = isAbstractType(type) && type.name !== 'Node' ? schema.getPossibleTypes(type) : [type];
    for (const each of visibleTypes) {
      const permission = isObjectType(each) && readPermissionOf(each);
      if (permission) needed.add(permission);
    }
  };
  const Field = () => collect(getNamedType(types.getType()));
  visit(document, visitWithTypeInfo(types, { Field, InlineFragment: Field, FragmentDefinition: Field }));
  return [...needed];
}
