export { type PricedOperation, priceBefore, roughPrice } from './admit.ts';
export { costOf, type GivenOperation, type OperationCost, readOperation } from './operation-cost.ts';
export type { CostPart } from './parts.ts';
export { tooLarge } from './refusals.ts';
export { admitOperation, limitsIn, priceIn } from './verdict.ts';
