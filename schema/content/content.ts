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
import { builder } from '../builder.ts';
import { defineList, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, type InputBuilder, rowMutation } from '../shared/mutations.ts';

export const Copy = builder.prismaNode('Copy', {
  description: 'A stored copywriting result of a prompt.',
  id: { field: 'id', description: 'The id of the record; REST calls it copyId.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId }),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'The workspace that the record belongs to.' }),
    promptId: t.exposeString('promptId', { description: 'The prompt that was answered, by the id its maker gave.' }),
    completionId: t.exposeString('completionId', {
      description: 'The completion that answered it, by the id its maker gave.',
    }),
    content: t.exposeString('content', { description: 'The text.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was recorded.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
    workspace: t.relation('workspace', { description: 'The workspace that the record belongs to.' }),
  }),
});

export const CopyList = defineList(Copy, 'Copy', copyList, {
  orders: { createdAt: 'When it was recorded.' },
  filter: {
    promptId: { type: 'String', description: 'Records of this prompt.' },
    createdAt: { description: 'Records made in this span of time.' },
    ids: { type: 'ID', description: 'Records with one of these ids.' },
    promptIds: { type: 'String', description: 'Records of one of these prompts.' },
    content: { description: 'The text that was written.' },
    updatedAt: { description: 'Records changed last in this span of time.' },
  },
  groups: {
    moments: { createdAt: 'When it was recorded.' },
    by: { promptId: { description: 'The prompt that it is a result of.' } },
    distinct: { promptId: 'The prompts that they are results of.' },
  },
});

const DocumentStats = builder.objectRef<DocumentRow>('DocumentStats').implement({
  description: 'How long a document is.',
  fields: (t) => ({
    words: t.exposeFloat('words', { description: 'Its words.' }),
    paragraphs: t.exposeFloat('paragraphs', { description: 'Its paragraphs.' }),
    sentences: t.exposeFloat('sentences', { description: 'Its sentences.' }),
    characters: t.exposeFloat('characters', { description: 'Its characters.' }),
  }),
});

const Document = builder.prismaNode('Document', {
  description: 'A text that people write with the help of knowledge bases.',
  id: { field: 'id', description: 'The id of the document, the same in REST.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId }),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'The workspace that the document belongs to.' }),
    name: t.exposeString('name', { description: 'What it is called.' }),
    stats: t.field({
      type: DocumentStats,
      description: 'How long it is.',
      extensions: { parleySameRow: true },
      resolve: (document) => document,
    }),
    link: t.exposeString('link', { description: 'Where it is kept or published.' }),
    kbs: t.field({
      type: ['JSON'],
      description: 'The knowledge bases that it was written from, in the form of whoever wrote it.',
      extensions: { parleyColumns: ['kbs'] },
      resolve: ({ kbs }) => kbs as unknown[],
    }),
    content: t.exposeString('content', { description: 'The text.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
    workspace: t.relation('workspace', { description: 'The workspace that the document belongs to.' }),
  }),
});

export const DocumentList = defineList(Document, 'Document', documentList, {
  orders: { createdAt: 'When it was made.', updatedAt: 'When it was changed last.', name: 'What it is called.' },
  filter: {
    createdAt: { description: 'Documents made in this span of time.' },
    updatedAt: { description: 'Documents changed last in this span of time.' },
    ids: { type: 'ID', description: 'Documents with one of these ids.' },
    name: { description: 'What it is called.' },
    words: { description: 'How many words it has.' },
    paragraphs: { description: 'How many paragraphs it has.' },
    sentences: { description: 'How many sentences it has.' },
    characters: { description: 'How many characters it has.' },
  },
  groups: {
    moments: { createdAt: 'When it was made.', updatedAt: 'When it was changed last.' },
    by: {},
    numbers: {
      words: 'How many words it has.',
      paragraphs: 'How many paragraphs it has.',
      sentences: 'How many sentences it has.',
      characters: 'How many characters it has.',
    },
  },
});

builder.queryFields((t) => ({
  copywriting: rootConnection(t, CopyList, 'The copywriting records of the workspace, newest first.'),
  copy: rootRow(t, CopyList, 'One copywriting record.'),
  documents: rootConnection(t, DocumentList, 'The documents of the workspace, newest first.'),
  document: rootRow(t, DocumentList, 'One document.'),
}));

const copyAnswers: [string, unknown, string] = ['copy', Copy, 'The record as it is now.'];

rowMutation('recordCopy', {
  description: 'Keeps a result of a prompt.',
  answers: copyAnswers,
  input: (t) => ({
    promptId: t.string({ required: true, description: 'The prompt that was answered.' }),
    completionId: t.string({ required: true, description: 'The completion that answered it.' }),
    content: t.string({ required: true, description: 'The text.' }),
  }),
  write: recordCopy,
});

rowMutation('updateCopy', {
  updates: { model: 'Copy' },
  description: 'Changes the text of a copywriting record.',
  answers: copyAnswers,
  input: (t) => ({
    id: t.id({ required: true, description: 'The id of the record.' }),
    content: t.string({ required: true, description: 'The text.' }),
  }),
  write: updateCopy,
});

deleteMutation('deleteCopy', {
  updates: { model: 'Copy' },
  description: 'Removes a copywriting record.',
  what: 'copy',
  write: deleteCopy,
});

const DocumentStatsInput = builder.inputType('DocumentStatsInput', {
  description: 'How long a document is, in any numbers; what is left out stays as it was.',
  fields: (t) => ({
    words: t.float({ description: 'Its words.' }),
    paragraphs: t.float({ description: 'Its paragraphs.' }),
    sentences: t.float({ description: 'Its sentences.' }),
    characters: t.float({ description: 'Its characters.' }),
  }),
});

const documentFields = (t: InputBuilder) => ({
  name: t.string({ description: 'What it is called.' }),
  stats: t.field({ type: DocumentStatsInput, description: 'How long it is.' }),
  link: t.string({ description: 'Where it is kept or published.' }),
  kbs: t.field({ type: ['JSON'], description: 'The knowledge bases that it was written from, in any form.' }),
  content: t.string({ description: 'The text.' }),
});
const documentAnswers: [string, unknown, string] = ['document', Document, 'The document as it is now.'];

rowMutation('createDocument', {
  description: 'Makes a document; what is left out is empty.',
  answers: documentAnswers,
  input: documentFields,
  write: createDocument,
});

rowMutation('updateDocument', {
  updates: { model: 'Document' },
  description: 'Changes what is given of a document; what is left out stays.',
  answers: documentAnswers,
  input: (t) => ({ id: t.id({ required: true, description: 'The id of the document.' }), ...documentFields(t) }),
  write: updateDocument,
});

deleteMutation('deleteDocument', {
  updates: { model: 'Document' },
  description: 'Removes a document.',
  what: 'document',
  write: deleteDocument,
});
