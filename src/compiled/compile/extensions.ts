import type { GraphQLField, GraphQLObjectType } from 'graphql';
import type { Context } from '../../context.ts';
import type { Access, Permission } from '../../core/permissions.ts';
import type { Viewer } from '../../core/viewer.ts';
import type { ListRule, Where } from '../../database/query/list.ts';
import type { Writing } from '../../domain/shared/mutations.ts';

/** The extensions of schema fields, our own and Pothos's, that compilation relies on. */
export type FieldMarks = {
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
  /** How its single row is found. A missing row is an error, or null if optional. */
  parleyRow?: { permission?: Permission; where: (args: never, viewer: Viewer) => Where; optional?: true };
  /** The tables that may have the row that a column refers to, in the order in which they are tried. */
  parleyPlaces?: { column: string; places: { type: string; where: (id: unknown, viewer: Viewer) => Where }[] };
  /** How a mutation writes one row, which its payload returns. */
  parleyWrite?: Writing;
  /** Returns the same row as another type. */
  parleySameRow?: true;
  /** The columns that its synchronous resolver computes the value from. */
  parleyColumns?: string[];
  /** The column among them whose empty list or object is the field's value unchanged. */
  parleyEmptyAs?: string;
  /** Under load, it is among the first to be refused: see src/graphql/cost.ts. */
  parleyExpensive?: true;
};
export type TypeMarks = {
  /** The permission to read its rows. */
  parleyRead?: Permission;
  /** The column that is set when a row is removed, which is then no node. */
  parleyRemoved?: string;
  pothosPrismaModel?: string;
  pothosPrismaLoader?: (context: Context) => { findUnique(parent: object, context: Context): Where | Promise<Where> };
};

export const marksOf = (field: GraphQLField<unknown, unknown>): FieldMarks => field.extensions as FieldMarks;
export const marksOfType = (type: GraphQLObjectType): TypeMarks => type.extensions as TypeMarks;
