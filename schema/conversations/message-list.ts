import type { InputRef } from '@pothos/core';
import { Platform } from '../shared/platform.ts';

/** What a list of messages can be filtered by, as the schema describes it. */
export const messageFilter = (MessageRole: InputRef, MessageRating: InputRef) =>
  ({
    role: { type: MessageRole, description: 'Messages with one of these roles.' },
    conversationId: { type: 'ID', description: 'Messages in this conversation.' },
    agentId: { type: 'ID', description: 'Messages in conversations with this agent.' },
    channelId: { type: 'ID', description: 'Messages in conversations through this channel.' },
    model: { type: 'String', description: 'Messages written by one of these models.' },
    rating: { type: MessageRating, description: 'Messages with one of these ratings.' },
    createdAt: { description: 'Messages sent in this time range.' },
    ids: { type: 'ID', description: 'Messages with one of these IDs.' },
    conversationIds: { type: 'ID', description: 'Messages in one of these conversations.' },
    byPerson: { description: 'Messages that a person wrote in place of the agent (`true`), or all others (`false`).' },
    hasContent: { description: 'Messages with text (`true`) or without (`false`).' },
    position: { description: 'The position of the message in the conversation, starting at 0.' },
    promptTokens: {
      description: 'Input tokens sent to the model for the message; `null` if the model did not report them.',
    },
    completionTokens: { description: 'Output tokens the model generated; `null` if the model did not report them.' },
    cachedTokens: {
      description: "Input tokens served from the provider's cache; `null` if the model did not report them.",
    },
    updatedAt: { description: 'Messages last updated in this time range.' },
    cost: { description: 'The cost of the reply, in US dollars; `null` if unknown.' },
    replyTime: { description: 'Milliseconds from the question to the end of the reply; `null` if unknown.' },
    timeToFirstToken: { description: 'Milliseconds from the question to the first words; `null` if unknown.' },
    metadata: {
      description:
        'Messages whose metadata match all of these conditions. Rows are read one by one: add a time range or ' +
        'a conversation.',
    },
    conversation: { list: 'Conversation', description: 'Messages whose conversation matches this filter.' },
  }) as const;

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
