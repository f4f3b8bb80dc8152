import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { identitySecrets } from '../../auth/identity-tokens.ts';
import type { Context } from '../../context.ts';
import { conflict, invalid, notFound } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { permit } from '../../core/permissions.ts';
import { actorOf } from '../../core/viewer.ts';
import { addToDirectory } from '../../database/directory.ts';
import type { Channel } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { change, insertion } from '../../database/query/write.ts';
import { listRule } from '../../lists/list.ts';
import { parseInput } from '../shared/input.ts';
import { type Json, maskSecrets, mayHoldMasked, restoreMasked, UnknownMask } from '../shared/masking.ts';
import { refuseMintedToken } from '../shared/minted-tokens.ts';
import { rowWithId, rowWrite } from '../shared/mutations.ts';
import { originsInput } from './origins.ts';
import { checkForm, formInput, greetingsInput } from './widget-settings.ts';

export type { AskedField, Greeting } from './widget-settings.ts';

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
  form: formInput.nullish(),
  greetings: greetingsInput.nullish(),
});
const channelChange = z.object({
  credentials: credentials.optional(),
  origins: originsInput.optional(),
  form: formInput.optional(),
  greetings: greetingsInput.optional(),
});
/** What only a widget has. */
type OfWidget = {
  origins?: string[] | null;
  form?: z.input<typeof formInput> | null;
  greetings?: z.input<typeof greetingsInput> | null;
};

/** Public in web pages; 128 random bits, so that no one can guess the widgets of others. */
async function newPublishableToken(context: Context): Promise<string> {
  const token = `pub_${randomBytes(16).toString('hex')}`;
  await addToDirectory(context, context.viewer.workspaceId, [token]);
  return token;
}

const onlyWidgets = (given: OfWidget): string[] =>
  (['origins', 'form', 'greetings'] as const)
    .filter((name) => given[name])
    .map((name) => `${name}: can only be set for channels of the platform widget`);

/** Adds a channel to an agent. Throws 400, and 404 if the agent does not exist. */
export const createChannel = rowWrite({
  model: 'Channel',
  permission: 'channels.write',
  prepare: async (context, { agentId, ...input }: z.input<typeof channelInput> & { agentId: string }) => {
    const { platform, credentials: given, origins, form, greetings } = parseInput(channelInput, input);
    const isWidget = platform === 'widget';
    const misplaced = isWidget ? [] : onlyWidgets(input);
    if (misplaced.length > 0) throw invalid(misplaced);
    const actor = actorOf(context.viewer);
    return insertion('Channel', {
      id: newId('channel'),
      workspaceId: context.viewer.workspaceId,
      agentId,
      platform,
      credentialsCipher: context.secrets.encrypt(JSON.stringify(given ?? {})),
      publishableToken: isWidget ? await newPublishableToken(context) : null,
      identitySecretCipher: null,
      origins: origins ?? [],
      form: await checkForm(context, form ?? []),
      greetings: greetings ?? [],
      createdBy: actor,
      updatedBy: actor,
    });
  },
});

type ChannelChange = OfWidget & { id: string; credentials?: object | null };

/**
 * Updates the given properties of a channel. Credentials that are sent back masked, as they were read, are kept. Throws
 * 400 and 404.
 */
export const updateChannel = rowWrite({
  model: 'Channel',
  permission: 'channels.write',
  prepare: async (context, { id, ...sent }: ChannelChange) => {
    const named = Object.entries(sent).filter(([, value]) => value != null);
    const { credentials: given, origins, form, greetings } = parseInput(channelChange, Object.fromEntries(named));
    const isOfWidget = onlyWidgets(sent).length > 0;
    const where = { ...channelOf(context, id), ...(isOfWidget && { platform: 'widget' }) };
    return change('Channel', where, {
      credentialsCipher:
        given && context.secrets.encrypt(JSON.stringify(await restoreCredentials(context, id, given as Json))),
      origins,
      form: form && (await checkForm(context, form)),
      greetings,
      updatedBy: actorOf(context.viewer),
    });
  },
  fallback: async (context, { id, ...sent }) => {
    await requireChannel(context, id);
    throw invalid(onlyWidgets(sent));
  },
});

/** Replaces the publishable token of a widget; the old one is invalid at once. Throws 404 and 409. */
export const rotatePublishableToken = rowWrite({
  model: 'Channel',
  permission: 'channels.write',
  prepare: async (context, { id }: { id: string }) => {
    const where = { ...channelOf(context, id), platform: 'widget' };
    const updatedBy = actorOf(context.viewer);
    return change('Channel', where, { publishableToken: await newPublishableToken(context), updatedBy });
  },
  fallback: async (context, { id }) => {
    await requireChannel(context, id);
    throw conflict('Only channels of the platform widget have a publishable token.');
  },
});

/**
 * Replaces the identity secret of a widget, and returns it: it is not shown again. Tokens that the old one signed, and
 * what visitors got for them, are invalid at once. Throws 403 for a key and a minted token, which it would outlive, 404
 * and 409.
 */
export async function rotateIdentitySecret(context: Context, id: string): Promise<{ row: Channel; secret: string }> {
  permit(context, 'channels.secret');
  refuseMintedToken(
    context,
    'make an identity secret',
    'the secret of an app, or a token from the identity provider or the operator',
  );
  const { database, secrets, viewer } = context;
  const { secret } = identitySecrets.create();
  const [row] = await database.channel.updateManyAndReturn({
    where: { ...channelOf(context, id), platform: 'widget' },
    data: { identitySecretCipher: secrets.encrypt(secret), updatedBy: actorOf(viewer) },
  });
  if (row) return { row, secret };
  await requireChannel(context, id);
  throw conflict('Only channels of the platform widget have an identity secret.');
}

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
export const deleteChannel = rowWrite({
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
