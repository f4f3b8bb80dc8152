export { type Extent, extentOf, isTooLargeToWalk } from '../documents/extent.ts';
export { type PricedOperation, priceBefore, roughPrice } from './admit.ts';
export { complexity, complexityOfPage } from './marks.ts';
export {
  type GivenOperation,
  type OperationCost,
  operationCost,
  readDocument,
  readOnce,
  readOperation,
} from './operation-cost.ts';
export type { CostPart } from './parts.ts';
export { refusalOf } from './refusals.ts';
export { admitOperation, type ChargedCost, priceIn, requireAffordable, withAdmission } from './verdict.ts';
