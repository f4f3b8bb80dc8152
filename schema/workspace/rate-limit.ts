import { GRAPHQL_MAX_INT } from 'graphql';
import { access } from '../../src/core/permissions.ts';
import { priceIn } from '../../src/graphql/price/index.ts';
import { builder } from '../builder.ts';

const RateLimit = builder.objectRef<ReturnType<typeof priceIn>>('RateLimit').implement({
  description: 'What an operation costs, and what its bearer may still use in this minute.',
  fields: (t) => ({
    cost: t.int({
      description: 'What the operation that asks costs: fields times rows. 2147483647 for that and more.',
      resolve: ({ cost }) => Math.min(cost, GRAPHQL_MAX_INT),
    }),
    remaining: t.int({
      nullable: true,
      description:
        'What operations may still cost in this minute, this one paid, by the least budget that it is of; null: any number.',
      resolve: ({ left }) => left?.remaining ?? null,
    }),
    resetAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the next minute begins, with all of the budget; null without one.',
      resolve: ({ left }) => (left ? new Date(left.resetsAt) : null),
    }),
  }),
});

builder.queryField('rateLimit', (t) =>
  t.field({
    type: RateLimit,
    nullable: true,
    description: 'What this operation costs, and what its bearer may still use.',
    extensions: access('everyone'),
    args: {
      dryRun: t.arg.boolean({
        defaultValue: false,
        description:
          'Whether nothing else of the operation is executed: the answer has this field alone, and costs nothing.',
      }),
    },
    resolve: (_root, _args, context) => priceIn(context),
  }),
);
