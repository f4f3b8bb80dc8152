import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { conflict, notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { actorOf } from '../../core/viewer.ts';
import { lockNames } from '../../database/advisory.ts';
import { transact } from '../../database/client.ts';
import type { SavedOperation } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { removal } from '../../database/query/write.ts';
import { listRule } from '../../lists/list.ts';
import { parseInput, type Unvalidated } from '../shared/input.ts';
import { keyOfRow, rowWithId, rowWrite } from '../shared/mutations.ts';

export const operationList = listRule({
  model: 'SavedOperation',
  permission: 'operations.read',
  analytics: { except: ['name', 'document', 'description'] },
  orders: { createdAt: { type: 'date' }, name: { type: 'text' }, updatedAt: { type: 'date' } },
  filters: {
    names: { kind: 'in', column: 'name' },
    ids: { kind: 'in', column: 'id' },
    createdAt: { kind: 'range', column: 'createdAt' },
    updatedAt: { kind: 'range', column: 'updatedAt' },
  },
});

/** Saved operations per workspace. */
const maxOperations = 1_000;
/** Longer documents are not compiled. */
const maxLength = 20_000;

export const operationName = z
  .string()
  .max(100)
  .regex(/^[a-z][a-z0-9-]*$/, 'must begin with a letter and have only a-z, 0-9 and -');
const smallObject = z
  .record(z.string(), z.unknown())
  .refine((value) => JSON.stringify(value).length <= 10_000, 'must have at most 10,000 characters as JSON');
/** A day, in seconds. */
const maxAgeMost = 86_400;
const between = `must be between 0 and ${maxAgeMost}`;
const operationInput = z.object({
  name: operationName,
  document: z.string().max(maxLength),
  description: z.string().max(2_000).optional(),
  variables: smallObject.optional(),
  chart: smallObject.optional(),
  maxAge: z.int().min(0, between).max(maxAgeMost, between).nullish(),
});
type OperationInput = Unvalidated<z.input<typeof operationInput>>;

/** Checks a document with the values of its variables, and returns its cost, if it is known. Throws 400. */
export type PriceOf = (
  document: string,
  variables: Record<string, unknown>,
  context: Context,
) => Promise<number | null>;

/** The SHA-256 of a document, in hex, by which it can be run. */
const hashOf = (document: string): string => createHash('sha256').update(document).digest('hex');

/**
 * Saves an operation. Throws 400 for a document that is not valid or would be refused, and 409 if its name is taken or
 * the workspace has 1,000.
 */
export async function createOperation(
  context: Context,
  input: OperationInput,
  priceOf: PriceOf,
): Promise<SavedOperation> {
  permit(context, 'operations.write');
  const data = parseInput(operationInput, input);
  const cost = await priceOf(data.document, data.variables ?? {}, context);
  const { workspaceId } = context.viewer;
  const actor = actorOf(context.viewer);
  const made = { id: newId('savedOperation'), workspaceId, createdBy: actor, updatedBy: actor };
  return transact(context.database, async (tx) => {
    await lockNames(tx, [`operations ${workspaceId}`]);
    if ((await tx.savedOperation.count({ where: { workspaceId } })) >= maxOperations)
      throw conflict(`The workspace already has ${maxOperations} saved operations, the maximum: delete one first.`);
    const row = { ...made, ...data, documentHash: hashOf(data.document), cost };
    return tx.savedOperation.create({ data: row as never });
  });
}

/** Updates what is given of a saved operation; its name stays. Throws 400 and 404. */
export async function updateOperation(
  context: Context,
  { id, ...input }: Unvalidated<Partial<Omit<OperationInput, 'name'>>> & { id: string },
  priceOf: PriceOf,
): Promise<SavedOperation> {
  permit(context, 'operations.write');
  const data = parseInput(operationInput.omit({ name: true }).partial(), input);
  const { database, viewer } = context;
  const where = keyOfRow(context, id);
  const old = await database.savedOperation.findUnique({ where });
  if (!old) throw notFound('SavedOperation');
  const document = data.document ?? old.document;
  const cost = await priceOf(document, data.variables ?? (old.variables as Record<string, unknown>), context);
  const row = { ...data, documentHash: hashOf(document), cost, updatedBy: actorOf(viewer) };
  return database.savedOperation.update({ where, data: row as never });
}

/** Deletes a saved operation: programs can no longer run it. Throws 404. */
export const deleteOperation = rowWrite({
  model: 'SavedOperation',
  permission: 'operations.write',
  prepare: (context, { id }: { id: string }) => removal('SavedOperation', rowWithId(context, id)),
});
