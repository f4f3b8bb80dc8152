import { z } from 'zod';
import { permit } from '../auth/permissions.ts';
import type { Context } from '../context.ts';
import { orNotFound } from '../database/found.ts';
import type { Copy, Document, Prisma } from '../database/generated/prisma/client.ts';
import { newId } from '../database/ids.ts';
import { listRule } from '../database/list.ts';
import { notFound } from '../errors.ts';
import { parseInput, requiredText } from './input.ts';

export const copyList = listRule({
  model: 'Copy',
  permission: 'content.read',
  // What `all=true` of REST answers at once.
  maxPageSize: 1_000,
  orders: { createdAt: { type: 'date' } },
  filters: { promptId: { kind: 'equals', column: 'promptId' }, createdAt: { kind: 'range', column: 'createdAt' } },
});

export const documentList = listRule({
  model: 'Document',
  permission: 'content.read',
  orders: { createdAt: { type: 'date' }, updatedAt: { type: 'date' }, name: { type: 'text' } },
  filters: {
    createdAt: { kind: 'range', column: 'createdAt' },
    updatedAt: { kind: 'range', column: 'updatedAt' },
  },
});

const text = (max: number) => z.string().max(max, `must have at most ${max} characters`);
const content = text(1_000_000);
const copyInput = z.object({ promptId: requiredText(), completionId: requiredText(), content });

/** Keeps a result of a prompt. */
export async function recordCopy(context: Context, input: z.input<typeof copyInput>): Promise<Copy> {
  permit(context, 'content.write');
  const data = parseInput(copyInput, input);
  return context.database.copy.create({
    data: { ...data, id: newId('copy'), workspaceId: context.viewer.workspaceId },
  });
}

/** Changes what a record says. */
export async function updateCopy(context: Context, id: string, input: { content: string }): Promise<Copy> {
  permit(context, 'content.write');
  const data = parseInput(copyInput.pick({ content: true }), input);
  return orNotFound('Copy', context.database.copy.update({ where: key(context, id), data }));
}

/** Removes a record. */
export async function deleteCopy(context: Context, id: string): Promise<void> {
  permit(context, 'content.write');
  const where = { workspaceId: context.viewer.workspaceId, id };
  const { count } = await context.database.copy.deleteMany({ where });
  if (count === 0) throw notFound('Copy');
}

const amount = z.int32('must be a whole number').min(0, 'must be 0 or more').optional();

const documentInput = z.object({
  name: text(500).optional(),
  stats: z.object({ words: amount, paragraphs: amount, sentences: amount, characters: amount }).optional(),
  link: text(2_000).optional(),
  kbs: z.array(z.unknown()).max(1_000, 'must have at most 1000 items').optional(),
  content: content.optional(),
});

/** Makes a document; what is left out is empty. */
export async function createDocument(context: Context, input: z.input<typeof documentInput>): Promise<Document> {
  permit(context, 'content.write');
  const data = columnsOf(parseInput(documentInput, input));
  return context.database.document.create({
    data: { ...data, id: newId('document'), workspaceId: context.viewer.workspaceId },
  });
}

/** Changes what is given of a document, each count of `stats` by itself; the rest stays. */
export async function updateDocument(
  context: Context,
  id: string,
  input: z.input<typeof documentInput>,
): Promise<Document> {
  permit(context, 'content.write');
  const data = columnsOf(parseInput(documentInput, input));
  return orNotFound('Document', context.database.document.update({ where: key(context, id), data }));
}

/** Removes a document. */
export async function deleteDocument(context: Context, id: string): Promise<void> {
  permit(context, 'content.write');
  const where = { workspaceId: context.viewer.workspaceId, id };
  const { count } = await context.database.document.deleteMany({ where });
  if (count === 0) throw notFound('Document');
}

const columnsOf = ({ stats, kbs, ...columns }: z.output<typeof documentInput>) => ({
  ...columns,
  ...stats,
  ...(kbs && { kbs: kbs as Prisma.InputJsonArray }),
});

const key = ({ viewer }: Context, id: string) => ({ workspaceId_id: { workspaceId: viewer.workspaceId, id } });
