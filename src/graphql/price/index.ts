export { type PricedOperation, priceBefore, roughPrice } from './admit.ts';
export { type Extent, extentOf, isEndless } from './extent.ts';
export { costOf, type GivenOperation, type OperationCost, readDocument, readOperation } from './operation-cost.ts';
export type { CostPart } from './parts.ts';
export { refusalOf, tooLarge } from './refusals.ts';
export { admitOperation, asAdmitted, limitsIn, type Paid, priceIn } from './verdict.ts';
