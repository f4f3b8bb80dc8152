import { z } from 'zod';
import { permit } from '../auth/permissions.ts';
import type { Context } from '../context.ts';
import type { Credential } from '../database/generated/prisma/client.ts';
import { notFound, ParleyError } from '../errors.ts';
import { findAgent } from './agents.ts';
import { parseInput } from './input.ts';

const credentialInput = z.object({
  accessToken: z.string().min(1, 'must not be empty').max(16_000, 'must have at most 16,000 characters'),
  expiresAt: z.date().nullish(),
});
type Pair = { agentId: string; pluginId: string };

/**
 * The token with which an agent calls a plugin. Throws 404 when there is none, and 409 `reauthorization_required` when
 * it has expired.
 */
export async function readCredential(context: Context, { agentId, pluginId }: Pair): Promise<{ accessToken: string }> {
  permit(context, 'credentials.read');
  const { database, viewer, secrets, now } = context;
  const credential = await database.credential.findFirst({
    where: { workspaceId: viewer.workspaceId, agentId, pluginId },
  });
  if (!credential) throw notFound('Credential of this plugin for this agent');
  if (credential.expiresAt && credential.expiresAt <= now()) {
    throw new ParleyError('reauthorization_required', 'The token of this plugin has expired: set a new one.');
  }
  return { accessToken: secrets.decrypt(credential.tokenCipher) };
}

/** Sets the token with which an agent calls a plugin. Throws 404 for an agent or a plugin that is not there. */
export async function setCredential(
  context: Context,
  { agentId, pluginId, ...input }: Pair & z.input<typeof credentialInput>,
): Promise<Credential> {
  permit(context, 'credentials.write');
  const { accessToken, expiresAt } = parseInput(credentialInput, input);
  const { database, viewer, secrets } = context;
  const key = { workspaceId: viewer.workspaceId, agentId, pluginId };
  await findAgent(context, agentId);
  const plugin = await database.plugin.findFirst({
    where: { workspaceId: viewer.workspaceId, id: pluginId },
    select: { id: true },
  });
  if (!plugin) throw notFound('Plugin');
  const data = { tokenCipher: secrets.encrypt(accessToken), expiresAt: expiresAt ?? null };
  return database.credential.upsert({
    where: { workspaceId_agentId_pluginId: key },
    create: { ...key, ...data },
    update: data,
  });
}

/** Forgets the token with which an agent calls a plugin. Throws 404 when there is none. */
export async function deleteCredential({ database, ...context }: Context, { agentId, pluginId }: Pair): Promise<void> {
  permit(context, 'credentials.write');
  const where = { workspaceId: context.viewer.workspaceId, agentId, pluginId };
  if ((await database.credential.deleteMany({ where })).count === 0)
    throw notFound('Credential of this plugin for this agent');
}
