export { type PricedOperation, priceBefore, roughPrice } from './admit.ts';
export { tooLarge } from './refusals.ts';
export { admitOperation, limitsIn, priceIn } from './verdict.ts';
