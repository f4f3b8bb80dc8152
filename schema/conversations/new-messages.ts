import { access } from '../../src/core/permissions.ts';
import { followMessages } from '../../src/domain/conversations/new-messages.ts';
import { builder } from '../builder.ts';
import { Message } from './messages.ts';

builder.subscriptionField('newMessages', (t) =>
  t.prismaField({
    type: Message,
    nullable: true,
    description:
      'Streams messages of a conversation as soon as they are stored: from the visitor, the agent or a person ' +
      'in its place, through any gateway. `null` for a message that was deleted immediately. The stream ends ' +
      'after 15 minutes, or earlier if the gateway stops or the conversation is deleted: resubscribe with the ' +
      'last position received.',
    args: {
      conversationId: t.arg.id({ required: true, description: 'ID of the conversation.' }),
      after: t.arg.int({
        description:
          'The position of the last known message, -1 for none: the messages after it come first. If omitted, the ' +
          'last message comes first.',
      }),
    },
    extensions: access('conversations.read'),
    subscribe: (_root, args, context) => followMessages(context, args),
    resolve: (query, { id }, _args, { database, viewer }) =>
      database.message.findFirst({ ...query, where: { workspaceId: viewer.workspaceId, id } }),
  }),
);
