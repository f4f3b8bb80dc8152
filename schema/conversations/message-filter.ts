/** What a list of messages can be filtered by, as the schema tells it. */
export const messageFilter = (MessageRole: unknown, MessageRating: unknown) => ({
  role: { type: MessageRole, description: 'Messages of one of these speakers.' },
  conversationId: { type: 'ID', description: 'Messages of this conversation.' },
  agentId: { type: 'ID', description: 'Messages of conversations of this agent.' },
  channelId: { type: 'ID', description: 'Messages of conversations of this channel.' },
  model: { type: 'String', description: 'Messages that one of these models wrote.' },
  rating: { type: MessageRating, description: 'Messages that were rated like this.' },
  createdAt: { description: 'Messages said in this span of time.' },
  ids: { type: 'ID', description: 'Messages with one of these ids.' },
  conversationIds: { type: 'ID', description: 'Messages of one of these conversations.' },
  byPerson: { description: 'Messages that a person wrote in place of the agent, or all others.' },
  hasContent: { description: 'Messages with a text (true) or without (false).' },
  position: { description: 'Its place in the conversation, counted from 0.' },
  promptTokens: { description: 'Tokens that were sent to the model for it; null where the model did not tell.' },
  completionTokens: { description: 'Tokens that the model wrote; null where the model did not tell.' },
  cachedTokens: {
    description: 'Tokens of those sent that the provider had in its cache; null where the model did not tell.',
  },
  updatedAt: { description: 'Messages changed last in this span of time.' },
  cost: { description: 'What the reply cost, in US dollars; null where that is not known.' },
  replyTime: { description: 'Milliseconds from the question to the end of the reply; null where that is not known.' },
  timeToFirstToken: { description: 'Milliseconds from the question to the first words; null where that is not known.' },
  metadata: {
    description: 'Messages whose metadata meet all of these conditions. Read one by one: add a time or a conversation.',
  },
  conversation: { list: 'Conversation', description: 'Messages whose conversation meets this filter.' },
});
