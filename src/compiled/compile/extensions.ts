import type { GraphQLField, GraphQLObjectType } from 'graphql';
import type { Context } from '../../context.ts';
import type { Access, Permission } from '../../core/permissions.ts';
import type { Viewer } from '../../core/viewer.ts';
import type { Prisma } from '../../database/generated/prisma/client.ts';
import type { Where } from '../../database/query/delegate.ts';
import type { Sql as PreparedSql } from '../../database/sql.ts';
import type { RowWrite } from '../../domain/shared/mutations.ts';
import type { ListRule } from '../../lists/list.ts';
import type { PostProcessor } from './post-process.ts';

/** The extensions of schema fields, our own and Pothos's, that compilation relies on. */
export type FieldExtensions = {
  /** Who may use the field; set on all root fields. */
  parleyAccess?: Access;
  /** The permission that it requires in addition to its parent's. */
  parleyNeeds?: Permission;
  /** The column that it exposes. */
  pothosExposedField?: string;
  /** The relation that it exposes; `pothosPrismaSelect` has its order. */
  pothosPrismaRelationField?: { name: string; isList: boolean };
  pothosPrismaSelect?: unknown;
  /** The rule of the list that it returns: all rows, or those of a relation, possibly through a joining model. */
  parleyList?: ListRule;
  parleyRelation?: string;
  parleyThrough?: string;
  /**
   * How its single row is found, of its type's model or another. A missing row is an error, or null if optional.
   * `checksIds`: a key's limits are checked by the ids of its arguments.
   */
  parleyRow?: {
    permission?: Permission;
    model?: Prisma.ModelName;
    where: (args: never, viewer: Viewer, context: Context) => Where;
    optional?: true;
    checksIds?: true;
  };
  /**
   * The query of some tables that returns its row, of columns by their types, all of them given. Its values are texts.
   */
  parleyQuery?: {
    permission: Permission;
    reads: string[];
    columns: Record<string, 'String' | 'Int'>;
    query: (context: Context) => PreparedSql;
  };
  /** Returns the viewer: its fields that need no row are those of its resolvers. */
  parleyViewer?: true;
  /** The columns of a row that its value, as JSON, is computed from: of null if there is none. */
  parleyValue?: {
    model: Prisma.ModelName;
    columns: string[];
    where: (viewer: Viewer) => Where;
    value: PostProcessor;
  };
  /** The tables that may have the row that a column refers to, in the order in which they are tried. */
  parleyOneOf?: { column: string; candidates: { type: string; where: (id: unknown, viewer: Viewer) => Where }[] };
  /** How a mutation writes one row, which its payload returns. */
  parleyWrite?: RowWrite;
  /** Returns the same row as another type. */
  parleySameRow?: true;
  /** The columns that its synchronous resolver computes the value from. */
  parleyColumns?: string[];
  /** The column among them whose empty list or object is the field's value unchanged. */
  parleyEmptyAs?: string;
  /** Under load, it is among the first to be refused: see src/graphql/cost.ts. */
  parleyExpensive?: true;
};
type TypeExtensions = {
  /** The column that is set when a row is removed, which is then no node. */
  parleyRemoved?: string;
  pothosPrismaModel?: string;
  pothosPrismaLoader?: (context: Context) => { findUnique(parent: object, context: Context): Where | Promise<Where> };
};

export const extensionsOf = (field: GraphQLField<unknown, unknown>): FieldExtensions =>
  field.extensions as FieldExtensions;
export const typeExtensionsOf = (type: GraphQLObjectType): TypeExtensions => type.extensions as TypeExtensions;
