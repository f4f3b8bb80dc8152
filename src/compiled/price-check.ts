import type { DocumentNode, GraphQLSchema, VariableValues } from 'graphql';
import type { Context } from '../context.ts';
import type { ParleyError } from '../core/errors.ts';
import { unknownRows } from '../database/query/estimates.ts';
import { type ChargedCost, priceBefore, roughPrice } from '../graphql/price/index.ts';
import { UnsupportedQuery, unsupported } from '../lists/unsupported.ts';
import type { Memory } from './sql/template.ts';

type Sized = {
  schema: GraphQLSchema;
  document: DocumentNode;
  variables: Record<string, unknown>;
  coerced: VariableValues;
  ctx: Context;
  /** Whether the response contains the price. */
  showsPrice?: boolean;
};

/** The operation costs too much, by `refusal`. */
export class Unaffordable extends UnsupportedQuery {
  readonly refusal: ParleyError;

  constructor(refusal: ParleyError) {
    super('a large operation');
    this.refusal = refusal;
  }
}

/**
 * Checks an operation's price, the same that guards the resolvers. The result is cached where it does not depend on how
 * many rows there are.
 */
export class PriceCheck {
  /** Whether the price is settled without row counts. */
  readonly #isSettled = new Map<string, boolean>();
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /**
   * Throws `Unaffordable` for an operation that exceeds the limits, and charges its cost to the viewer's budgets.
   * Resolves with what was paid, which may be unknown, and then 0, unless the response contains it.
   */
  async check({ document, schema, variables, coerced, ctx, showsPrice = false }: Sized): Promise<ChargedCost> {
    const key = sizesIn(variables);
    const { spend } = ctx.viewer;
    const isSettled = this.#isSettled.get(key);
    if (!spend && !showsPrice && isSettled) return { cost: 0, left: null };
    const priced = { schema, document, variableValues: variables, coerced, contextValue: ctx };
    const found =
      isSettled === undefined ? roughPrice({ ...priced, contextValue: { ...ctx, estimates: unknownRows } }) : null;
    const verdict = found?.isSettled && !spend && !showsPrice ? found : await priceBefore(priced);
    if (!verdict) return unsupported('an operation without a price');
    if (verdict.refusal) throw new Unaffordable(verdict.refusal);
    const left = (await spend?.(verdict.cost)) ?? null;
    if (found) this.#keep(key, found.isSettled);
    return { cost: verdict.cost, left };
  }

  #keep(key: string, isSettled: boolean): void {
    if (key.length > longKey) return;
    this.#isSettled.set(key, isSettled);
    this.#memory.grow(100 + 2 * key.length);
  }
}

/** Longer keys are not cached. */
const longKey = 10_000;

/** The part of the variables that the price can depend on: numbers of rows, but no strings. */
const sizesIn = (variables: Record<string, unknown>): string =>
  Object.values(variables).every((value) => typeof value === 'string')
    ? Object.keys(variables).join()
    : JSON.stringify(variables, (_key, value: unknown) => (typeof value === 'string' ? '' : value));
