import { erasePerson, receiptList } from '../../src/domain/erasure/erase.ts';
import { builder } from '../builder.ts';
import { defineList, rootConnection, rootRow } from '../shared/connections.ts';
import { rowMutation } from '../shared/mutations.ts';
import { rowById } from '../shared/row-by-id.ts';

const ErasureStatus = builder.enumType('ErasureStatus', {
  description: 'How far the erasure of a person is.',
  values: {
    in_progress: { description: 'All rows are deleted. A background job deletes files and what deleted rows leave.' },
    completed: { description: 'The background job has ended. `remains` names what is left.' },
  } as const,
});

const ErasureReceipt = builder.prismaNode('ErasureReceipt', {
  description: 'The record of the erasure of a person. It contains numbers, and nothing about the person.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the receipt.' },
  nullable: true,
  findUnique: rowById('ErasureReceipt'),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'ID of the workspace that the person was erased from.' }),
    status: t.expose('status', { type: ErasureStatus, description: 'How far the erasure is.' }),
    deleted: t.expose('deleted', {
      type: 'JSONObject',
      description:
        'Number of rows that were deleted, by kind, such as `leads`, `conversations`, `messages` and `files`. Of `evaluationResults`, `responses` and `auditEntries`, the rows stay without the personal data.',
    }),
    sourceIds: t.exposeStringList('sourceIds', {
      description:
        'IDs of sources that answer a gap which the person asked about. They may quote the question: review them.',
    }),
    remains: t.exposeStringList('remains', {
      description: 'What is left and until when, such as backups; complete when the status is `completed`.',
    }),
    backupsUntil: t.expose('backupsUntil', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the last backup and archived write-ahead log with the person are deleted. `null` if the operator has not said how long they are kept.',
    }),
    filesDeletedAt: t.expose('filesDeletedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the files of the person had been deleted from the storage. `null` if not yet.',
    }),
    indexCleanedAt: t.expose('indexCleanedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the words of their messages had been removed from the search index. `null` if not yet.',
    }),
    vacuumedAt: t.expose('vacuumedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When deleted rows had been removed from the tables (VACUUM). `null` if not yet, or if `remains` says that the database refused it.',
    }),
    checkpointedAt: t.expose('checkpointedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the database had written its files (CHECKPOINT). `null` if not yet, or if `remains` says that the database refused it.',
    }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the background job ended. `null` if not yet.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the rows were deleted.' }),
  }),
});

const ErasureReceiptList = defineList(ErasureReceipt, 'ErasureReceipt', receiptList, {
  orders: { createdAt: 'When the rows were deleted.' },
  filter: {
    status: { type: ErasureStatus, description: 'Receipts with one of these statuses.' },
    ids: { type: 'ID', description: 'Receipts with one of these IDs.' },
    createdAt: { description: 'Receipts created in this time range.' },
  },
  groups: {
    moments: { createdAt: 'When the rows were deleted.' },
    by: { status: { type: ErasureStatus, description: 'How far the erasure is.' } },
  },
});

builder.queryFields((t) => ({
  erasureReceipts: rootConnection(t, ErasureReceiptList, 'The receipts of erased people, newest first.'),
  erasureReceipt: rootRow(t, ErasureReceiptList, 'Returns the receipt of an erasure by ID.'),
}));

rowMutation('erasePerson', {
  description: `Erases a person, named by exactly one of \`email\`, \`phone\` and \`conversationId\`. This cannot be undone.

The person's leads are those with the email or phone, those captured in one of their conversations, and all others with the email of one of these. A phone number is followed only if it is the one given, since several people may share one.

Their conversations are those of these leads; branches of these conversations, and what they branched from; and those with the same \`platformUserIdentifier\` at the same platform, unless conversations with leads of other people have it too. The email or phone also counts as such an identifier.

In one transaction, this deletes the leads and conversations with messages, replaced replies, turns, traces, plugin calls, questions and proposed answers of gaps, webhook events and bodies of deliveries, stored responses, texts of files, and evaluation cases with a question that they asked. Results of these cases and entries of the audit log stay without personal data. Webhooks receive \`lead.removed\`. A background job then deletes files and search postings, and has the database remove deleted rows.

Kept are counted interactions, which are numbers, and sources that answer a gap (\`sourceIds\`). Members of the workspace are not covered: remove their membership. Fails with \`conflict\` while one of their messages is being answered.`,
  payload: { field: 'receipt', type: ErasureReceipt, description: 'The receipt, which can be read again by its ID.' },
  expensive: true,
  input: (t) => ({
    email: t.string({ description: 'Email of a lead, ignoring case.' }),
    phone: t.string({
      description: 'Phone number of a lead. Without a country code, it is read as Brazilian.',
    }),
    conversationId: t.id({ description: 'ID of a conversation of the person.' }),
  }),
  permission: 'erasures.write',
  resolve: (context, input) => erasePerson(context, input),
});
