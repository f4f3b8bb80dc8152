import { z } from 'zod';
import type { Prisma } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { change, insertion, removal } from '../../database/query/write.ts';
import { listRule } from '../../lists/list.ts';
import { parseInput, requiredText } from '../shared/input.ts';
import { rowWithId, rowWrite } from '../shared/mutations.ts';

export const copyList = listRule({
  model: 'Copy',
  permission: 'content.read',
  analytics: { except: ['content'] },
  // REST returns this many at once for `all=true`.
  maxPageSize: 1_000,
  orders: { createdAt: { type: 'date' } },
  filters: {
    promptId: { kind: 'equals', column: 'promptId' },
    createdAt: { kind: 'range', column: 'createdAt' },
    ids: { kind: 'in', column: 'id' },
    promptIds: { kind: 'in', column: 'promptId' },
    content: { kind: 'text', column: 'content' },
    updatedAt: { kind: 'range', column: 'updatedAt' },
  },
  groups: {
    moments: ['createdAt'],
    by: { promptId: { kind: 'value', column: 'promptId' } },
    distinct: ['promptId'],
  },
});

export const documentList = listRule({
  model: 'Document',
  permission: 'content.read',
  analytics: { except: ['name', 'content'] },
  orders: { createdAt: { type: 'date' }, updatedAt: { type: 'date' }, name: { type: 'text' } },
  filters: {
    createdAt: { kind: 'range', column: 'createdAt' },
    updatedAt: { kind: 'range', column: 'updatedAt' },
    ids: { kind: 'in', column: 'id' },
    name: { kind: 'text', column: 'name' },
    words: { kind: 'number', column: 'words' },
    paragraphs: { kind: 'number', column: 'paragraphs' },
    sentences: { kind: 'number', column: 'sentences' },
    characters: { kind: 'number', column: 'characters' },
  },
  groups: {
    moments: ['createdAt', 'updatedAt'],
    by: {},
    numbers: ['words', 'paragraphs', 'sentences', 'characters'],
  },
});

const text = (max: number) => z.string().max(max);
const content = text(1_000_000);
const copyInput = z.object({ promptId: requiredText(), completionId: requiredText(), content });

/** Stores a completion of a prompt. */
export const recordCopy = rowWrite({
  model: 'Copy',
  permission: 'content.write',
  prepare: (context, input: z.input<typeof copyInput>) => {
    const data = parseInput(copyInput, input);
    return insertion('Copy', { ...data, id: newId('copy'), workspaceId: context.viewer.workspaceId });
  },
});

/** Updates the content of a copy. Throws 404 `not_found`. */
export const updateCopy = rowWrite({
  model: 'Copy',
  permission: 'content.write',
  prepare: (context, { id, ...input }: { id: string; content: string }) => {
    return change('Copy', rowWithId(context, id), parseInput(copyInput.pick({ content: true }), input));
  },
});

/** Deletes a copy. Throws 404 `not_found`. */
export const deleteCopy = rowWrite({
  model: 'Copy',
  permission: 'content.write',
  prepare: (context, { id }: { id: string }) => {
    return removal('Copy', rowWithId(context, id));
  },
});

/** Counted by the caller: fractions and negative numbers are stored as given. */
const amount = z.number().optional();

export const documentInput = z.object({
  name: text(500).optional(),
  stats: z.object({ words: amount, paragraphs: amount, sentences: amount, characters: amount }).optional(),
  link: text(2_000).optional(),
  kbs: z
    .array(z.unknown().meta({ not: { type: 'null' } }))
    .max(1_000)
    .optional(),
  content: content.optional(),
});

type DocumentInput = z.input<typeof documentInput>;

/** Creates a document; omitted values are empty. */
export const createDocument = rowWrite({
  model: 'Document',
  permission: 'content.write',
  prepare: (context, input: DocumentInput) => {
    const data = columnsOf(parseInput(documentInput, input));
    return insertion('Document', { ...data, id: newId('document'), workspaceId: context.viewer.workspaceId });
  },
});

/** Updates the given properties of a document, each count of `stats` separately. Throws 404 `not_found`. */
export const updateDocument = rowWrite({
  model: 'Document',
  permission: 'content.write',
  prepare: (context, { id, ...input }: DocumentInput & { id: string }) => {
    return change('Document', rowWithId(context, id), columnsOf(parseInput(documentInput, input)));
  },
});

/** Deletes a document. Throws 404 `not_found`. */
export const deleteDocument = rowWrite({
  model: 'Document',
  permission: 'content.write',
  prepare: (context, { id }: { id: string }) => {
    return removal('Document', rowWithId(context, id));
  },
});

const columnsOf = ({ stats, kbs, ...columns }: z.output<typeof documentInput>) => ({
  ...columns,
  ...stats,
  ...(kbs && { kbs: kbs as Prisma.InputJsonArray }),
});
