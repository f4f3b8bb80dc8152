import { Platform } from '../shared/platform.ts';

/** What messages are grouped and measured by. */
export const messageGroups = (MessageRole: unknown, MessageRating: unknown) => ({
  moments: { createdAt: 'When the message was sent.', updatedAt: 'When the message was last updated.' },
  by: {
    role: { type: MessageRole, description: 'The role of the sender.' },
    byPerson: { description: 'Whether a person wrote the message in place of the agent.' },
    rating: { type: MessageRating, description: 'The rating of the message; `null` if it was not rated.' },
    model: { description: 'The model that wrote the message; `null` if none did, or if unknown.' },
    agent: { description: 'The agent of the conversation.' },
    channel: { description: 'The channel of the conversation.' },
    conversation: { description: 'The conversation the message belongs to.' },
    platform: { type: Platform, description: 'The platform the visitor writes from.' },
    platformUserIdentifier: { description: 'The visitor, by the identifier on the platform; empty if unknown.' },
    metadata: { description: 'A value in the metadata of the message, such as its model, as a string.' },
  },
  numbers: {
    promptTokens: 'Input tokens of the message.',
    completionTokens: 'Output tokens of the message.',
    cachedTokens: 'Input tokens of the message served from cache.',
    cost: 'The cost of the tokens in US dollars, based on the prices of the models. Requires `analytics.read`.',
    replyTime: 'The duration of the reply in milliseconds, including passages and tools. Requires `analytics.read`.',
    timeToFirstToken: 'The time to the first word or tool call, in milliseconds. Requires `analytics.read`.',
  },
  distinct: {
    conversationId: 'The conversations of the messages.',
    agentId: 'The agents of the conversations.',
    channelId: 'The channels of the conversations.',
    model: 'The models that wrote the messages.',
  },
});
