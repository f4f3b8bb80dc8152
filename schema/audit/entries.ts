import { auditList } from '../../src/domain/audit/entries.ts';
import { builder } from '../builder.ts';
import { defineList, rootConnection, rootRow } from '../shared/connections.ts';
import { rowById } from '../shared/row-by-id.ts';
import { actorField } from '../workspace/actors.ts';

const AuditAction = builder.enumType('AuditAction', {
  description: 'What was done, in the audit log.',
  values: {
    created: { description: 'The row was created.' },
    updated: { description: 'Fields of the row changed.' },
    deleted: { description: 'The row was deleted, with everything that belongs to it.' },
    taken_over: { description: 'A person took over the conversation from its agent.' },
    handed_back: { description: 'The conversation was handed back to its agent.' },
    exported: { description: 'Rows were downloaded as a file.' },
    erased: { description: "A person's data was erased." },
    token_issued: {
      description:
        'An access token for the member was issued: by `authenticateApp`, or by the operator (`npm run token`).',
    },
  } as const,
});

const AuditActorKind = builder.enumType('AuditActorKind', {
  description: 'The kind of actor in the audit log.',
  values: {
    member: { description: 'A member of the workspace.' },
    key: { description: 'A program with a key that a member created.' },
    app: { description: 'An app with its secret, or with a token that it got for a member.' },
    operator: { description: 'A command of the operator of the service, or a token that one created.' },
    invitee: { description: 'A person who answered an invitation.' },
    visitor: { description: 'A visitor of a widget.' },
    system: { description: 'The service itself.' },
  } as const,
});

const AuditEntry = builder.prismaNode('AuditEntry', {
  description:
    'A change to the workspace, and who made it. Kept for 400 days. It contains ids, and no names, texts or secrets.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the entry.' },
  nullable: true,
  findUnique: rowById('AuditEntry'),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'ID of the workspace that was changed.' }),
    actorKind: t.expose('actorKind', { type: AuditActorKind, description: 'The kind of actor.' }),
    actorId: t.exposeID('actorId', {
      nullable: true,
      description: 'ID of the user, key or app. `null` if none is known.',
    }),
    actor: actorField(t, 'actorId', 'Who made the change'),
    onBehalfOfId: t.exposeID('onBehalfOfId', {
      nullable: true,
      description:
        'ID of the user for whom it was done, with a token that the actor got for that user (`authenticateApp`). `null` if the actor used a bearer of its own.',
    }),
    onBehalfOf: actorField(t, 'onBehalfOfId', 'For whom it was done'),
    address: t.exposeString('address', {
      nullable: true,
      description: 'IP address of the request, of IPv6 its /64 network. `null` if there was no request.',
    }),
    action: t.expose('action', { type: AuditAction, description: 'What was done.' }),
    type: t.exposeString('type', {
      description: 'The type of the row, as in this schema. For an export, the fields of `Query` that were read.',
    }),
    rowId: t.exposeString('rowId', {
      description: 'ID of the row. If it has several, such as a role of a member in an app, they are joined by `/`.',
    }),
    fields: t.exposeStringList('fields', { description: 'Names of the fields that changed.' }),
    changes: t.expose('changes', {
      type: 'JSONObject',
      description:
        'By field, its value `before` and `after`, or the ids that were `added` and `removed`. Values that may be secret or personal are omitted.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was done.' }),
  }),
});

const AuditEntryList = defineList(AuditEntry, 'AuditEntry', auditList, {
  orders: { createdAt: 'When it was done.' },
  filter: {
    action: { type: AuditAction, description: 'Entries with one of these actions.' },
    actorKind: { type: AuditActorKind, description: 'Entries of one of these kinds of actors.' },
    actorId: { type: 'ID', description: 'Entries of this user, key or app.' },
    onBehalfOfId: { type: 'ID', description: 'Entries of what others did on behalf of this user.' },
    type: { type: 'String', description: 'Entries about rows of one of these types.' },
    rowId: { type: 'String', description: 'Entries about the row with this ID.' },
    ids: { type: 'ID', description: 'Entries with one of these IDs.' },
    createdAt: { description: 'Entries created in this time range.' },
  },
  groups: {
    moments: { createdAt: 'When it was done.' },
    by: {
      action: { type: AuditAction, description: 'What was done.' },
      actorKind: { type: AuditActorKind, description: 'The kind of actor.' },
      type: { type: 'String', description: 'The type of the row.' },
    },
    distinct: {
      actorId: 'The users, keys and apps.',
      onBehalfOfId: 'The users on whose behalf others acted.',
      rowId: 'The rows.',
    },
  },
});

builder.queryFields((t) => ({
  auditEntries: rootConnection(t, AuditEntryList, 'The audit log of the workspace, newest first.'),
  auditEntry: rootRow(t, AuditEntryList, 'Returns an entry of the audit log by ID.'),
}));
