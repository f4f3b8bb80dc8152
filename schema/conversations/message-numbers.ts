import { needs } from '../../src/core/permissions.ts';
import { builder } from '../builder.ts';

export const MessageRating = builder.enumType('MessageRating', {
  description: 'What a person thinks of a message.',
  values: {
    like: { description: 'It helped.' },
    dislike: { description: 'It did not.' },
  } as const,
});

type TokenCounts = { promptTokens: number | null; completionTokens: number | null; cachedTokens: number | null };
export const TokenUsage = builder.objectRef<TokenCounts>('TokenUsage').implement({
  description:
    'The tokens that the model counted for a message; all 0 for those that it did not write, null where it did not tell.',
  fields: (t) => ({
    promptTokens: t.exposeInt('promptTokens', { nullable: true, description: 'Tokens that the model read.' }),
    completionTokens: t.exposeInt('completionTokens', { nullable: true, description: 'Tokens that the model wrote.' }),
    cachedTokens: t.exposeInt('cachedTokens', {
      nullable: true,
      description: 'Tokens read that the model had cached.',
    }),
  }),
});

const measured = 'It takes the permission `analytics.read`.';

/** What a message is measured by. */
builder.prismaObjectFields('Message', (t) => ({
  model: t.exposeString('model', {
    nullable: true,
    description: 'The name of the model whose reply it is; null for what is none, and where that is not known.',
  }),
  cost: t.exposeFloat('cost', {
    nullable: true,
    description: `What its tokens cost in US dollars, by the prices of \`MODELS\`; null where that is not known. ${measured}`,
    extensions: needs('analytics.read'),
  }),
  replyTime: t.exposeInt('replyTime', {
    nullable: true,
    description: `How long the reply took, in milliseconds, passages and tools included; null where that is not known. ${measured}`,
    extensions: needs('analytics.read'),
  }),
  timeToFirstToken: t.exposeInt('timeToFirstToken', {
    nullable: true,
    description: `When its first word or call came, in milliseconds from the beginning of \`replyTime\`; null for one that was not streamed to us. ${measured}`,
    extensions: needs('analytics.read'),
  }),
  rating: t.expose('rating', {
    type: MessageRating,
    nullable: true,
    description: 'The rating in `feedback`; null when nobody gave one.',
  }),
}));
