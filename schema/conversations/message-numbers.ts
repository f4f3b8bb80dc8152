import { needs } from '../../src/core/permissions.ts';
import { value } from '../../src/core/value-kinds.ts';
import { builder } from '../builder.ts';

export const MessageRating = builder.enumType('MessageRating', {
  description: 'The rating of a message by a person.',
  values: {
    like: { description: 'It helped.' },
    dislike: { description: 'It did not help.' },
  } as const,
});

type TokenCounts = { promptTokens: number | null; completionTokens: number | null; cachedTokens: number | null };
export const TokenUsage = builder.objectRef<TokenCounts>('TokenUsage').implement({
  description:
    'The tokens the model reported for a message; `null` if no model wrote it, or if it did not report them.',
  fields: (t) => ({
    promptTokens: t.exposeInt('promptTokens', {
      extensions: value('amount', 'tokens'),
      nullable: true,
      description: 'Input tokens the model read.',
    }),
    completionTokens: t.exposeInt('completionTokens', {
      extensions: value('amount', 'tokens'),
      nullable: true,
      description: 'Output tokens the model generated.',
    }),
    cachedTokens: t.exposeInt('cachedTokens', {
      extensions: value('amount', 'tokens'),
      nullable: true,
      description: 'Input tokens served from cache.',
    }),
  }),
});

const measured = 'Requires the permission `analytics.read`.';

/** What a message is measured by. */
builder.prismaObjectFields('Message', (t) => ({
  model: t.exposeString('model', {
    nullable: true,
    description: 'The name of the model that wrote the reply; `null` if the message is not a reply, or if unknown.',
  }),
  cost: t.exposeFloat('cost', {
    nullable: true,
    description: `The cost of its tokens in US dollars, by the prices in \`MODELS\`; \`null\` if unknown. ${measured}`,
    extensions: { ...needs('analytics.read'), ...value('amount', 'USD') },
  }),
  replyTime: t.exposeInt('replyTime', {
    nullable: true,
    description: `How long the reply took, including retrieval and tools, in milliseconds; \`null\` if unknown. ${measured}`,
    extensions: { ...needs('analytics.read'), ...value('amount', 'ms') },
  }),
  timeToFirstToken: t.exposeInt('timeToFirstToken', {
    nullable: true,
    description: `The time to the first token or tool call, in milliseconds from the start of \`replyTime\`; \`null\` if the model did not stream. ${measured}`,
    extensions: { ...needs('analytics.read'), ...value('amount', 'ms') },
  }),
  rating: t.expose('rating', {
    type: MessageRating,
    nullable: true,
    description: 'The rating in `feedback`; `null` if there is none.',
  }),
}));
