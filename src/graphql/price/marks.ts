import type { FieldComplexityFunction, FieldComplexityValue } from '@pothos/plugin-complexity';
import type { GraphQLField, GraphQLNamedType } from 'graphql';
import type { ListRule } from '../../database/query/list.ts';

/** The extensions that determine a field's price. */
export type PriceMarks = {
  complexity?: FieldComplexityValue | FieldComplexityFunction<object, object>;
  parleyList?: ListRule;
  parleyRelation?: string;
  parleyThrough?: string;
};

export const marksOf = (field: GraphQLField<unknown, unknown>): PriceMarks => field.extensions as PriceMarks;

/** Returns the table of a type's rows. */
export const modelOf = ({ extensions }: GraphQLNamedType): string | null =>
  (extensions.pothosPrismaModel as string | undefined) ?? null;
