import type { GraphQLField, GraphQLNamedType } from 'graphql';
import type { ListRule } from '../../lists/list.ts';
import { defaultPageSize, type ListArguments } from '../../lists/pagination.ts';

/** What a field costs for one object, and how many objects it returns: 1 each by default. */
type Complexity = { field?: number; multiplier?: number };
type ComplexityOf<Args> = Complexity | ((args: Args) => Complexity);

/** The extensions that determine a field's price. */
export type PriceExtensions = {
  complexity?: ComplexityOf<object>;
  parleyList?: ListRule;
  parleyRelation?: string;
  parleyThrough?: string;
};

export const extensionsOf = (field: GraphQLField<unknown, unknown>): PriceExtensions =>
  field.extensions as PriceExtensions;

/** Returns the table of a type's rows. */
export const modelOf = ({ extensions }: GraphQLNamedType): string | null =>
  (extensions.pothosPrismaModel as string | undefined) ?? null;

/** Field extension with what a field costs, for its arguments. */
export const complexity = <Args>(of: ComplexityOf<Args>): { complexity: ComplexityOf<Args> } => ({ complexity: of });

/** The same of a field with pages of rows, each of which costs its fields; an empty page still reads one. */
export const complexityOfPage = (
  field: number | ((args: ListArguments) => number) = 1,
  defaultSize: number = defaultPageSize,
) =>
  complexity((args: ListArguments) => ({
    field: typeof field === 'number' ? field : field(args),
    multiplier: Math.max(args.first ?? args.last ?? defaultSize, 1),
  }));
