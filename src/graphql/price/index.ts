export { type PricedOperation, priceBefore, roughPrice } from './admit.ts';
export { tooLarge } from './refusals.ts';
export { judge, limitsIn } from './verdict.ts';
