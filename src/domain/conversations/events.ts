import { shownAttachments } from '../attachments/attachments.ts';
import type { RowEvents } from '../shared/row-events.ts';

const identityFields = { id: true, agentId: true, channelId: true, leadId: true, platform: true, title: true } as const;
const stateFields = {
  stage: true,
  status: true,
  outcome: true,
  satisfaction: true,
  messageCount: true,
  createdAt: true,
  updatedAt: true,
} as const;

/**
 * Webhook events of conversations, except previews. Most updates of the row come from messages and turns: messages have
 * events of their own, turns have none.
 */
export const conversationEvents: RowEvents = {
  model: 'Conversation',
  subject: 'conversation',
  permission: 'conversations.read',
  data: { conversationId: 'id', agentId: 'agentId' },
  events: {
    created: { on: 'insert', when: 'NOT NEW."preview"' },
    updated: {
      on: 'update',
      changes: ['status', 'stage', 'outcome', 'satisfaction', 'leadId', 'title'],
      withChanges: true,
      when: 'NOT NEW."preview"',
    },
  },
  read: ({ database }, where) =>
    database.conversation.findFirst({ where, select: { ...identityFields, ...stateFields } }),
};

const textFields = { id: true, conversationId: true, position: true, role: true, name: true, content: true } as const;
const detailFields = { toolCalls: true, metadata: true, attachments: true, createdAt: true } as const;

/**
 * Webhook events of messages, except those of previews. A branch starts with copies of messages that already had their
 * event: only messages from the edited one on are events.
 */
export const messageEvents: RowEvents = {
  model: 'Message',
  subject: 'message',
  permission: 'conversations.read',
  data: {
    messageId: 'row."id"',
    conversationId: 'conversation."id"',
    agentId: 'conversation."agentId"',
    role: 'row."role"',
  },
  rows: `jsonb_populate_recordset(NULL::"Message", $1) row JOIN "Conversation" conversation
    ON conversation."workspaceId" = $2 AND conversation."id" = row."conversationId"
    LEFT JOIN "Message" edited
    ON edited."workspaceId" = $2 AND edited."id" = conversation."branchedAtId"
    WHERE NOT conversation."preview" AND row."position" >= coalesce(edited."position", 0)
    ORDER BY row."conversationId", row."position"`.replaceAll(/\s+/g, ' '),
  events: { created: { on: 'insert' } },
  async read(services, where) {
    const select = { workspaceId: true, ...textFields, ...detailFields } as const;
    const found = await services.database.message.findFirst({ where, select });
    if (!found) return null;
    const { workspaceId: _, ...message } = found;
    return { ...message, attachments: shownAttachments(services, found) };
  },
};
