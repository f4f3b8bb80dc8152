import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { conflict, invalid, notFound } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { actorOf } from '../../core/viewer.ts';
import type { Channel } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { listRule } from '../../database/query/list.ts';
import { change, insertion } from '../../database/query/write.ts';
import { parseInput } from '../shared/input.ts';
import { type Json, maskSecrets, mayHoldMasked, restoreMasked, UnknownMask } from '../shared/masking.ts';
import { rowWithId, writing } from '../shared/mutations.ts';
import { originsInput } from './origins.ts';

export const channelList = listRule({
  model: 'Channel',
  permission: 'channels.read',
  analytics: { except: [] },
  rows: ({ workspaceId }) => ({ workspaceId, removedAt: null }),
  orders: { createdAt: { type: 'date' } },
  filters: {
    platform: { kind: 'in', column: 'platform' },
    agentId: { kind: 'equals', column: 'agentId' },
    createdAt: { kind: 'range', column: 'createdAt' },
    ids: { kind: 'in', column: 'id' },
    agentIds: { kind: 'in', column: 'agentId' },
    updatedAt: { kind: 'range', column: 'updatedAt' },
    agent: { kind: 'relation', relation: 'agent', model: 'Agent' },
  },
  groups: {
    moments: ['createdAt'],
    by: {
      platform: { kind: 'value', column: 'platform' },
      agent: { kind: 'related', column: 'agentId', model: 'Agent', allowed: ['name'] },
    },
    distinct: ['agentId'],
  },
});

const credentials = z
  .record(z.string(), z.unknown())
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= limits.credentials, 'must have at most 16 KB as JSON');
export const channelInput = z.object({
  platform: z.enum(
    ['api', 'widget', 'whatsapp', 'instagram', 'messenger', 'telegram', 'email', 'slack'],
    'must be one of api, widget, whatsapp, instagram, messenger, telegram, email, slack',
  ),
  credentials: credentials.nullish(),
  origins: originsInput.nullish(),
});
const channelChange = z.object({ credentials: credentials.optional(), origins: originsInput.optional() });

/** Public in web pages; 128 random bits, so that no one can guess the widgets of others. */
const newPublishableToken = (): string => `pub_${randomBytes(16).toString('hex')}`;
const onlyWidgets = 'origins: can only be set for channels of the platform widget';

/** Adds a channel to an agent. Throws 400, and 404 if the agent does not exist. */
export const createChannel = writing({
  model: 'Channel',
  permission: 'channels.write',
  prepare: (context, { agentId, ...input }: z.input<typeof channelInput> & { agentId: string }) => {
    const { platform, credentials: given, origins } = parseInput(channelInput, input);
    const isWidget = platform === 'widget';
    if (origins && !isWidget) throw invalid(onlyWidgets);
    const actor = actorOf(context.viewer);
    return insertion('Channel', {
      id: newId('channel'),
      workspaceId: context.viewer.workspaceId,
      agentId,
      platform,
      credentialsCipher: context.secrets.encrypt(JSON.stringify(given ?? {})),
      publishableToken: isWidget ? newPublishableToken() : null,
      identitySecretCipher: null,
      origins: origins ?? [],
      createdBy: actor,
      updatedBy: actor,
    });
  },
});

type ChannelChange = { id: string; credentials?: object | null; origins?: string[] | null };

/**
 * Updates the given properties of a channel. Credentials that are sent back masked, as they were read, are kept. Throws
 * 400 and 404.
 */
export const updateChannel = writing({
  model: 'Channel',
  permission: 'channels.write',
  prepare: async (context, { id, credentials: sent, origins: allowed }: ChannelChange) => {
    const { credentials: given, origins } = parseInput(channelChange, {
      ...(sent != null && { credentials: sent }),
      ...(allowed != null && { origins: allowed }),
    });
    const where = { ...channelOf(context, id), ...(origins && { platform: 'widget' }) };
    return change('Channel', where, {
      credentialsCipher:
        given && context.secrets.encrypt(JSON.stringify(await restoreCredentials(context, id, given as Json))),
      origins,
      updatedBy: actorOf(context.viewer),
    });
  },
  otherwise: async (context, { id }) => {
    await requireChannel(context, id);
    throw invalid(onlyWidgets);
  },
});

/** Replaces the publishable token of a widget; the old one is invalid at once. Throws 404 and 409. */
export const rotatePublishableToken = writing({
  model: 'Channel',
  permission: 'channels.write',
  prepare: (context, { id }: { id: string }) => {
    const where = { ...channelOf(context, id), platform: 'widget' };
    const updatedBy = actorOf(context.viewer);
    return change('Channel', where, { publishableToken: newPublishableToken(), updatedBy });
  },
  otherwise: async (context, { id }) => {
    await requireChannel(context, id);
    throw conflict('Only channels of the platform widget have a publishable token.');
  },
});

async function requireChannel(context: Context, id: string): Promise<void> {
  if (!(await context.database.channel.findFirst({ where: channelOf(context, id) }))) throw notFound('Channel');
}

const restoreCredentials = (context: Context, id: string, given: Json): Json | Promise<Json> =>
  mayHoldMasked(given) ? restoreIn(context, id, given) : given;

async function restoreIn(context: Context, id: string, given: Json): Promise<Json> {
  const channel = await context.database.channel.findFirst({ where: channelOf(context, id) });
  if (!channel) throw notFound('Channel');
  try {
    return restoreMasked(given, readCredentials(context, channel), 'credentials');
  } catch (error) {
    if (error instanceof UnknownMask) throw invalid(error.message);
    throw error;
  }
}

/** Excludes removed channels. */
const channelOf = (context: Context, id: string) => ({ ...rowWithId(context, id), removedAt: null });

/** Removes a channel; its row stays for its conversations, without its secrets. Throws 404. */
export const deleteChannel = writing({
  model: 'Channel',
  permission: 'channels.write',
  prepare: (context, { id }: { id: string }) => {
    const { viewer, secrets, now } = context;
    const without = { credentialsCipher: secrets.encrypt('{}'), identitySecretCipher: null };
    const removedData = { removedAt: now(), ...without, updatedBy: actorOf(viewer) };
    return change('Channel', channelOf(context, id), removedData);
  },
});

/** The credentials of a channel, masked for callers. */
export const shownCredentials = (context: Context, channel: Channel): Json =>
  maskSecrets(readCredentials(context, channel));

const readCredentials = ({ secrets }: Context, { credentialsCipher }: Channel): Json =>
  JSON.parse(secrets.decrypt(credentialsCipher));
