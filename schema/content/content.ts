import { value } from '../../src/core/value-kinds.ts';
import type { Document as DocumentRow } from '../../src/database/generated/prisma/client.ts';
import {
  copyList,
  createDocument,
  deleteCopy,
  deleteDocument,
  documentList,
  recordCopy,
  updateCopy,
  updateDocument,
} from '../../src/domain/content/content.ts';
import { generateCopy } from '../../src/domain/content/copywriting.ts';
import { builder } from '../builder.ts';
import { defineList, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, type InputBuilder, rowMutation } from '../shared/mutations.ts';
import { rowById } from '../shared/row-by-id.ts';

const Copy = builder.prismaNode('Copy', {
  description: 'A saved copywriting result of a prompt.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the record; `copyId` in REST.' },
  nullable: true,
  findUnique: rowById('Copy'),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'The workspace the record belongs to.' }),
    promptId: t.exposeString('promptId', { description: 'The ID of the prompt, as assigned by its creator.' }),
    completionId: t.exposeString('completionId', {
      description: 'The ID of the completion that answered it, as assigned by its creator.',
    }),
    content: t.exposeString('content', { description: 'The text of the record.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the record was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the record was last updated.' }),
    workspace: t.relation('workspace', { description: 'The workspace the record belongs to.' }),
  }),
});

export const CopyList = defineList(Copy, 'Copy', copyList, {
  orders: { createdAt: 'When the record was created.' },
  filter: {
    promptId: { type: 'String', description: 'Records of this prompt.' },
    createdAt: { description: 'Records created in this time range.' },
    ids: { type: 'ID', description: 'Records with one of these IDs.' },
    promptIds: { type: 'String', description: 'Records of one of these prompts.' },
    content: { description: 'The text of the record.' },
    updatedAt: { description: 'Records last updated in this time range.' },
  },
  groups: {
    moments: { createdAt: 'When the record was created.' },
    by: { promptId: { description: 'The prompt of the record.' } },
    distinct: { promptId: 'The prompts of the records.' },
  },
});

const DocumentStats = builder.objectRef<DocumentRow>('DocumentStats').implement({
  description: 'The length of a document.',
  fields: (t) => ({
    words: t.exposeFloat('words', { extensions: value('amount'), description: 'The number of words.' }),
    paragraphs: t.exposeFloat('paragraphs', { extensions: value('amount'), description: 'The number of paragraphs.' }),
    sentences: t.exposeFloat('sentences', { extensions: value('amount'), description: 'The number of sentences.' }),
    characters: t.exposeFloat('characters', { extensions: value('amount'), description: 'The number of characters.' }),
  }),
});

const Document = builder.prismaNode('Document', {
  description: 'A text that people write with the help of knowledge bases.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the document, the same in REST.' },
  nullable: true,
  findUnique: rowById('Document'),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'The workspace the document belongs to.' }),
    name: t.exposeString('name', { description: 'The name of the document.' }),
    stats: t.field({
      type: DocumentStats,
      description: 'The length of the document.',
      extensions: { parleySameRow: true },
      resolve: (document) => document,
    }),
    link: t.exposeString('link', { description: 'Where the document is stored or published.' }),
    kbs: t.field({
      type: ['JSON'],
      description: 'The knowledge bases the document was written from, in the format its author gave.',
      extensions: { parleyColumns: ['kbs'] },
      resolve: ({ kbs }) => kbs as unknown[],
    }),
    content: t.exposeString('content', { description: 'The text of the document.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the document was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the document was last updated.' }),
    workspace: t.relation('workspace', { description: 'The workspace the document belongs to.' }),
  }),
});

export const DocumentList = defineList(Document, 'Document', documentList, {
  orders: {
    createdAt: 'When the document was created.',
    updatedAt: 'When the document was last updated.',
    name: 'The name of the document.',
  },
  filter: {
    createdAt: { description: 'Documents created in this time range.' },
    updatedAt: { description: 'Documents last updated in this time range.' },
    ids: { type: 'ID', description: 'Documents with one of these IDs.' },
    name: { description: 'The name of the document.' },
    words: { description: 'The number of words.' },
    paragraphs: { description: 'The number of paragraphs.' },
    sentences: { description: 'The number of sentences.' },
    characters: { description: 'The number of characters.' },
  },
  groups: {
    moments: { createdAt: 'When the document was created.', updatedAt: 'When the document was last updated.' },
    by: {},
    numbers: {
      words: 'The number of words.',
      paragraphs: 'The number of paragraphs.',
      sentences: 'The number of sentences.',
      characters: 'The number of characters.',
    },
  },
});

builder.queryFields((t) => ({
  copywriting: rootConnection(t, CopyList, 'A list of the copywriting records in the workspace, newest first.'),
  copy: rootRow(t, CopyList, 'Returns a copywriting record by ID.'),
  documents: rootConnection(t, DocumentList, 'A list of the documents in the workspace, newest first.'),
  document: rootRow(t, DocumentList, 'Returns a document by ID.'),
}));

const copyPayload = { field: 'copy', type: Copy, description: 'The created or updated record.' };

rowMutation('recordCopy', {
  description: 'Saves a result of a prompt.',
  payload: copyPayload,
  input: (t) => ({
    promptId: t.string({ required: true, description: 'The ID of the prompt.' }),
    completionId: t.string({ required: true, description: 'The ID of the completion that answered it.' }),
    content: t.string({ required: true, description: 'The text of the record.' }),
  }),
  write: recordCopy,
});

rowMutation('updateCopy', {
  description: 'Updates the text of a copywriting record.',
  payload: copyPayload,
  input: (t) => ({
    id: t.id({ required: true, description: 'ID of the record.' }),
    content: t.string({ required: true, description: 'The text of the record.' }),
  }),
  write: updateCopy,
});

deleteMutation('deleteCopy', {
  description: 'Deletes a copywriting record.',
  what: 'copy',
  write: deleteCopy,
});

const DocumentStatsInput = builder.inputType('DocumentStatsInput', {
  description: 'The length of a document, any subset of the numbers. Omitted fields are unchanged.',
  fields: (t) => ({
    words: t.float({ description: 'The number of words.' }),
    paragraphs: t.float({ description: 'The number of paragraphs.' }),
    sentences: t.float({ description: 'The number of sentences.' }),
    characters: t.float({ description: 'The number of characters.' }),
  }),
});

const documentFields = (t: InputBuilder) => ({
  name: t.string({ description: 'The name of the document.' }),
  stats: t.field({ type: DocumentStatsInput, description: 'The length of the document.' }),
  link: t.string({ description: 'Where the document is stored or published.' }),
  kbs: t.field({ type: ['JSON'], description: 'The knowledge bases the document was written from, in any format.' }),
  content: t.string({ description: 'The text of the document.' }),
});
const documentPayload = { field: 'document', type: Document, description: 'The created or updated document.' };

rowMutation('createDocument', {
  description: 'Creates a document. Omitted fields are empty.',
  payload: documentPayload,
  input: documentFields,
  write: createDocument,
});

rowMutation('updateDocument', {
  description: 'Updates a document. Omitted fields are unchanged.',
  payload: documentPayload,
  input: (t) => ({ id: t.id({ required: true, description: 'ID of the document.' }), ...documentFields(t) }),
  write: updateDocument,
});

deleteMutation('deleteDocument', {
  description: 'Deletes a document.',
  what: 'document',
  write: deleteDocument,
});

rowMutation('generateCopy', {
  waits: true,
  description:
    'Generates several copies for one completion of a prompt and saves those that succeeded. Uses one ' +
    'interaction of the month, which is returned if none succeeded.',
  payload: { field: 'copies', type: [Copy], description: 'The records, which share one `completionId`.' },
  expensive: true,
  input: (t) => ({
    promptId: t.string({ required: true, description: 'The ID of the prompt, under which its copies are listed.' }),
    prompt: t.string({ required: true, description: 'What to write. At most 32,000 characters.' }),
    copies: t.int({ description: 'The number of copies, 1 to 10. Defaults to 3.' }),
    agentId: t.id({
      description:
        'The agent that writes, using its instructions, model and knowledge bases. Defaults to a generic copywriter.',
    }),
  }),
  permission: 'content.write',
  resolve: (context, input) => generateCopy(context, input),
});
