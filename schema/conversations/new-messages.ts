import { access } from '../../src/core/permissions.ts';
import { followMessages } from '../../src/domain/conversations/new-messages.ts';
import { builder } from '../builder.ts';
import { Message } from './messages.ts';

builder.subscriptionField('newMessages', (t) =>
  t.prismaField({
    type: Message,
    nullable: true,
    description:
      'What is said in a conversation, as soon as it is stored: by the visitor, the agent, a person in its place, through ' +
      'whichever gateway. Null for a message that was removed at once. The stream ends after a quarter of an hour, or ' +
      'before with its gateway or the conversation: ask for it again, with the last position that was told.',
    args: {
      conversationId: t.arg.id({ required: true, description: 'The id of the conversation.' }),
      after: t.arg.int({
        description:
          'The position of the last message that is known, -1 for none: those behind it come first. Left out, the last ' +
          'message does.',
      }),
    },
    extensions: access('conversations.read'),
    subscribe: (_root, given, context) => followMessages(context, given),
    resolve: (query, { id }, _args, { database, viewer }) =>
      database.message.findFirst({ ...query, where: { workspaceId: viewer.workspaceId, id } }),
  }),
);
