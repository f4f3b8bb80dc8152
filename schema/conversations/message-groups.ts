/** What messages are grouped and measured by. */
export const messageGroups = (MessageRole: unknown, MessageRating: unknown) => ({
  moments: { createdAt: 'When it was said.', updatedAt: 'When it was changed last.' },
  by: {
    role: { type: MessageRole, description: 'Who speaks in it.' },
    byPerson: { description: 'Whether a person wrote it in place of the agent.' },
    rating: { type: MessageRating, description: 'What a person thought of it; null where nobody said.' },
    model: { description: 'The model that wrote it; null where none did, or it is not known.' },
    agent: { description: 'The agent of its conversation.' },
    channel: { description: 'The channel of its conversation.' },
    conversation: { description: 'The conversation that it was said in.' },
    metadata: { description: 'A value of what else is known of it, such as its model, as a text.' },
  },
  numbers: {
    promptTokens: 'Tokens that the model read for it.',
    completionTokens: 'Tokens that the model wrote for it.',
    cachedTokens: 'Tokens read for it that the model had cached.',
    cost: 'What its tokens cost in US dollars, by the prices of the models. It takes `analytics.read`.',
    replyTime: 'How long the reply took, in milliseconds, passages and tools included. It takes `analytics.read`.',
    timeToFirstToken: 'When its first word or call came, in milliseconds. It takes `analytics.read`.',
  },
  distinct: {
    conversationId: 'The conversations that they were said in.',
    agentId: 'The agents of their conversations.',
    channelId: 'The channels of their conversations.',
    model: 'The models that wrote them.',
  },
});
