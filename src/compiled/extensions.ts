import type { GraphQLField, GraphQLObjectType } from 'graphql';
import type { Context } from '../context.ts';
import type { Access, Permission } from '../core/permissions.ts';
import type { Viewer } from '../core/viewer.ts';
import type { ListRule, Where } from '../database/query/list.ts';
import type { Writing } from '../domain/shared/mutations.ts';

/** What the schema says of its fields beside their resolvers, and what Pothos says of them: all that is compiled. */
export type FieldMarks = {
  /** Who may use it, on every field of a root type. */
  parleyAccess?: Access;
  /** What it takes beside the row that it is of. */
  parleyNeeds?: Permission;
  /** The column that it shows. */
  pothosExposedField?: string;
  /** The relation whose row or rows it shows; `pothosPrismaSelect` tells their order. */
  pothosPrismaRelationField?: { name: string; isList: boolean };
  pothosPrismaSelect?: unknown;
  /** The rule of the list that it shows: all rows, or those of a relation, through a joining model or not. */
  parleyList?: ListRule;
  parleyRelation?: string;
  parleyThrough?: string;
  /** How the one row that it shows is found. When there is none, it is an error, or null when it is optional. */
  parleyRow?: { permission?: Permission; where: (args: never, viewer: Viewer) => Where; optional?: true };
  /** Where the row is that a column names, the first place first: in one of several tables, or in none. */
  parleyPlaces?: { column: string; places: { type: string; where: (id: unknown, viewer: Viewer) => Where }[] };
  /** How a mutation writes one row; its payload shows it. */
  parleyWrite?: Writing;
  /** It shows the same row as another type. */
  parleySameRow?: true;
  /** The columns that its resolver, which waits for nothing, makes its value of. */
  parleyColumns?: string[];
  /** The one of them that the value is the same as when it is an empty list or object. */
  parleyEmptyAs?: string;
  /** Under load, it is among the first to be refused: see src/graphql/cost.ts. */
  parleyExpensive?: true;
};
export type TypeMarks = {
  /** What whoever reads its rows must be allowed to do. */
  parleyRead?: Permission;
  pothosPrismaModel?: string;
  pothosPrismaLoader?: (context: Context) => { findUnique(parent: object, context: Context): Where | Promise<Where> };
};

export const marksOf = (field: GraphQLField<unknown, unknown>): FieldMarks => field.extensions as FieldMarks;
export const marksOfType = (type: GraphQLObjectType): TypeMarks => type.extensions as TypeMarks;
