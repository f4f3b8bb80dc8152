import { access } from '../../src/core/permissions.ts';
import { valueKinds } from '../../src/core/value-kinds.ts';
import { complexity, readOnce } from '../../src/graphql/price/index.ts';
import { type ResultValue as Found, resultValues } from '../../src/graphql/result-values.ts';
import { builder } from '../builder.ts';
import { OperationInput } from './operation-cost.ts';

const ValueKind = builder.enumType('ValueKind', {
  description: 'What a number of a result is.',
  values: Object.fromEntries(
    Object.entries(valueKinds).map(([kind, { description }]) => [kind, { description }]),
  ) as Record<Found['kind'], { description: string }>,
});

export const ResultValue = builder.objectRef<Found>('ResultValue').implement({
  description: 'What a number in the result of an operation is, so that a page draws it as what it is.',
  fields: (t) => ({
    path: t.exposeString('path', {
      description: 'The names of the fields in the response, from the root, such as `leads.groups.nodes.count`.',
    }),
    kind: t.expose('kind', { type: ValueKind, description: 'What it is.' }),
    additive: t.exposeBoolean('additive', {
      description:
        'Whether the values of several rows can be added up: an average or a number of distinct values cannot.',
    }),
    unit: t.exposeString('unit', {
      nullable: true,
      description: 'Its unit: `USD`, `ms`, `s`, `tokens` or `bytes`. `null` if it has none.',
    }),
  }),
});

builder.queryField('resultValues', (t) =>
  t.field({
    type: [ResultValue],
    nullable: true,
    description:
      'What the numbers in the result of an operation are, aliases included, without executing it. Costs nothing. Once per request. ' +
      'An invalid operation is refused with 400 `invalid_request`.',
    extensions: { ...access('everyone'), ...complexity({ field: 0, multiplier: 0 }) },
    args: { operation: t.arg({ type: OperationInput, required: true, description: 'The operation.' }) },
    resolve: (_root, { operation }, context, { schema }) => {
      const { document, operationName } = readOnce(schema, operation, context, 'resultValues');
      return resultValues(schema, document, operationName);
    },
  }),
);
