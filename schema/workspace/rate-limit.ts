import { GRAPHQL_MAX_INT } from 'graphql';
import { access } from '../../src/core/permissions.ts';
import { priceIn } from '../../src/graphql/price/index.ts';
import { builder } from '../builder.ts';

export const RateLimit = builder.objectRef<ReturnType<typeof priceIn>>('RateLimit').implement({
  description: 'The cost of an operation and the budget its bearer has left this minute.',
  fields: (t) => ({
    cost: t.int({
      description: 'The cost of this operation: fields times rows. Capped at 2147483647.',
      resolve: ({ cost }) => Math.min(cost, GRAPHQL_MAX_INT),
    }),
    remaining: t.int({
      nullable: true,
      description:
        'Cost still available this minute after this operation, from the smallest budget that applies. `null` if unlimited.',
      resolve: ({ left }) => left?.remaining ?? null,
    }),
    limit: t.int({
      nullable: true,
      description: 'The cost per minute of that budget. `null` if unlimited.',
      resolve: ({ left }) => left?.limit ?? null,
    }),
    budget: t.string({
      nullable: true,
      description:
        'The name of that budget in the `RateLimit` header: `cost` is that of the key or bearer, `workspace-cost` that of the whole workspace. `null` if unlimited.',
      resolve: ({ left }) => left?.name ?? null,
    }),
    resetAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the next minute begins and the full budget is available again. `null` if there is no budget.',
      resolve: ({ left }) => (left ? new Date(left.resetsAt) : null),
    }),
  }),
});

builder.queryField('rateLimit', (t) =>
  t.field({
    type: RateLimit,
    nullable: true,
    description: 'The cost of this operation and the budget its bearer has left.',
    extensions: access('everyone'),
    args: {
      dryRun: t.arg.boolean({
        defaultValue: false,
        description:
          'Whether to execute nothing else in the operation: the response contains only this field and costs nothing.',
      }),
    },
    resolve: (_root, _args, context) => priceIn(context),
  }),
);
