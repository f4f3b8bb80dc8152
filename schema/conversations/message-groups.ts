/** What messages are grouped and measured by. */
export const messageGroups = (MessageRole: unknown) => ({
  moments: { createdAt: 'When it was said.', updatedAt: 'When it was changed last.' },
  by: {
    role: { type: MessageRole, description: 'Who speaks in it.' },
    byPerson: { description: 'Whether a person wrote it in place of the agent.' },
    conversation: { description: 'The conversation that it was said in.' },
    metadata: { description: 'A value of what else is known of it, such as its model, as a text.' },
  },
  numbers: {
    promptTokens: 'Tokens that the model read for it.',
    completionTokens: 'Tokens that the model wrote for it.',
    cachedTokens: 'Tokens read for it that the model had cached.',
  },
  distinct: { conversationId: 'The conversations that they were said in.' },
});
