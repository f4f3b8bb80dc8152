import { GRAPHQL_MAX_INT } from 'graphql';
import { limits } from '../../src/core/limits.ts';
import { access } from '../../src/core/permissions.ts';
import {
  type CostPart,
  complexity,
  type OperationCost as Found,
  operationCost,
  priceIn,
} from '../../src/graphql/price/index.ts';
import { builder } from '../builder.ts';
import { RateLimit } from './rate-limit.ts';

const capped = (number: number) => Math.min(number, GRAPHQL_MAX_INT);

const OperationCostPart = builder.objectRef<CostPart>('OperationCostPart').implement({
  description: 'The cost of one field of an operation.',
  fields: (t) => ({
    path: t.exposeString('path', {
      description: 'The names of the fields in the response, from the root, such as `leads.nodes.name`.',
    }),
    cost: t.exposeFloat('cost', { description: 'The cost of this field with everything selected in it.' }),
    ownCost: t.exposeFloat('ownCost', { description: 'The cost of this field alone.' }),
    rows: t.exposeFloat('rows', {
      nullable: true,
      description:
        'About how many rows this field may read. `null` if it is not a list, if the number is unknown, or if you may not list all of these rows.',
    }),
    advice: t.exposeString('advice', {
      nullable: true,
      description: 'Which argument to change to reduce the cost, and how. `null` if the cost is low.',
    }),
  }),
});

const OperationCost = builder.objectRef<Found>('OperationCost').implement({
  description: 'What an operation would cost.',
  fields: (t) => ({
    cost: t.int({
      description: 'The cost: fields times rows. Capped at 2147483647.',
      resolve: ({ cost }) => capped(cost),
    }),
    maxCost: t.int({
      description: 'The maximum cost of a single operation.',
      resolve: () => limits.query.complexity,
    }),
    refusal: t.string({
      nullable: true,
      description: 'Why the operation would be refused, whatever the budget. `null` if it would be executed.',
      resolve: ({ refusal }) => refusal?.message ?? null,
    }),
    rateLimit: t.field({
      type: RateLimit,
      description:
        'The budget that the operation would be charged to, before it is. Its `cost` is that of this request.',
      resolve: (_cost, _args, context) => priceIn(context),
    }),
    parts: t.field({
      type: [OperationCostPart],
      description:
        'The cost of each field, in the order of the document; empty for an operation that is too deep or has too many fields. The `ownCost` of all of them add up to `cost`.',
      resolve: ({ parts }) => parts,
    }),
  }),
});

export const OperationInput = builder.inputType('OperationInput', {
  description: 'An operation, as sent to this endpoint.',
  fields: (t) => ({
    query: t.string({ required: true, description: 'The document. At most 100 KB.' }),
    variables: t.field({ type: 'JSONObject', description: 'The variables of the operation.' }),
    operationName: t.string({ description: 'Which operation of the document, if it has several.' }),
  }),
});

builder.queryField('operationCost', (t) =>
  t.field({
    type: OperationCost,
    nullable: true,
    description:
      'What an operation would cost, field by field, without executing it. Costs nothing itself. Once per request. An invalid operation is refused with 400 `invalid_request`.',
    extensions: { ...access('everyone'), ...complexity({ field: 0, multiplier: 0 }) },
    args: { operation: t.arg({ type: OperationInput, required: true, description: 'The operation to price.' }) },
    resolve: (_root, { operation }, context, { schema }) => operationCost(schema, operation, context),
  }),
);
