import { z } from 'zod';
import { limits } from '../auth/limits.ts';
import { permit } from '../auth/permissions.ts';
import { actorOf, type Context } from '../context.ts';
import type { Channel } from '../database/generated/prisma/client.ts';
import { newId } from '../database/ids.ts';
import { listRule } from '../database/list.ts';
import { change, insertion } from '../database/write.ts';
import { notFound } from '../errors.ts';
import { parseInput } from './input.ts';
import { type Json, maskSecrets, mayHoldMasked, restoreMasked } from './masking.ts';
import { rowWithId, writing } from './mutations.ts';

export const channelList = listRule({
  model: 'Channel',
  permission: 'channels.read',
  rows: ({ workspaceId }) => ({ workspaceId, removedAt: null }),
  orders: { createdAt: { type: 'date' } },
  filters: {
    platform: { kind: 'in', column: 'platform' },
    agentId: { kind: 'equals', column: 'agentId' },
    createdAt: { kind: 'range', column: 'createdAt' },
  },
});

const credentials = z
  .record(z.string(), z.unknown())
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= limits.credentials, 'must have at most 16 KB as JSON');
const channelInput = z.object({
  platform: z.enum(
    ['api', 'widget', 'whatsapp', 'instagram', 'messenger', 'telegram', 'email', 'slack'],
    'must be one of api, widget, whatsapp, instagram, messenger, telegram, email, slack',
  ),
  credentials: credentials.nullish(),
});

/** Makes an agent reachable in one more place. Throws 404 for an agent that is not there. */
export const createChannel = writing({
  model: 'Channel',
  prepare: (context, { agentId, ...input }: z.input<typeof channelInput> & { agentId: string }) => {
    permit(context, 'channels.write');
    const { platform, credentials: given } = parseInput(channelInput, input);
    const actor = actorOf(context.viewer);
    return insertion('Channel', {
      id: newId('channel'),
      workspaceId: context.viewer.workspaceId,
      agentId,
      platform,
      credentialsCipher: context.secrets.encrypt(JSON.stringify(given ?? {})),
      createdBy: actor,
      updatedBy: actor,
    });
  },
});

/** Replaces the credentials; a value sent back masked, as it was read, stays. Throws 404. */
export const updateChannel = writing({
  model: 'Channel',
  prepare: async (context, { id, ...input }: { id: string; credentials: object }) => {
    permit(context, 'channels.write');
    const given = parseInput(z.object({ credentials }), input).credentials as Json;
    const kept = mayHoldMasked(given) ? await restoreIn(context, id, given) : given;
    const credentialsCipher = context.secrets.encrypt(JSON.stringify(kept));
    return change('Channel', channelOf(context, id), { credentialsCipher, updatedBy: actorOf(context.viewer) });
  },
});

async function restoreIn(context: Context, id: string, given: Json): Promise<Json> {
  const channel = await context.database.channel.findFirst({ where: channelOf(context, id) });
  if (!channel) throw notFound('Channel');
  return restoreMasked(given, readCredentials(context, channel));
}

/** A channel that was not taken away. */
const channelOf = (context: Context, id: string) => ({ ...rowWithId(context, id), removedAt: null });

/** Takes a channel away; its conversations stay and go on naming it. Throws 404. */
export const deleteChannel = writing({
  model: 'Channel',
  prepare: (context, { id }: { id: string }) => {
    permit(context, 'channels.write');
    const { viewer, secrets, now } = context;
    const gone = { removedAt: now(), credentialsCipher: secrets.encrypt('{}'), updatedBy: actorOf(viewer) };
    return change('Channel', channelOf(context, id), gone);
  },
});

/** The credentials as a caller may see them. */
export const shownCredentials = (context: Context, channel: Channel): Json =>
  maskSecrets(readCredentials(context, channel));

const readCredentials = ({ secrets }: Context, { credentialsCipher }: Channel): Json =>
  JSON.parse(secrets.decrypt(credentialsCipher));
