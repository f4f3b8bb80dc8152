import { setTimeout } from 'node:timers/promises';
import { isDefaultScope, keyScopes, limitedKeyScopes } from '../../../src/core/permissions.ts';
import type { Credential, Role, Viewer } from '../../../src/core/viewer.ts';
import type { Gateway } from '../gateway/app.ts';
import { makeMember, type TestWorkspace } from '../gateway/factories.ts';
import type { World } from '../world/world.ts';
import { inviting, secretOf } from './invitations.ts';
import { makeKey } from './keys.ts';

/** What a request is sent with. */
export type Bearer = {
  token: string | null;
  role: Role;
  credential: Credential;
  /** Of a key. */
  scopes?: readonly string[];
  /** What a key is limited to: agents or bases of the world that the requests do not name, its operation or board. */
  limit?: 'agents' | 'bases' | 'operation' | 'board' | 'another board';
  /** Of another workspace, or of a channel whose visitors have no conversation. */
  foreign?: true;
  /** Why it is 401 everywhere. */
  refused?: 'unauthorized' | 'token_expired';
};

type Given = { world: World; elsewhere: World; operation: string };

/** A bearer of each kind, for a world and its saved operation. A new `Credential` is one more kind. */
export async function makeBearers(gateway: Gateway, { world, elsewhere, operation }: Given) {
  const key = (more: Partial<Parameters<typeof makeKey>[2]>, by = world.owner) =>
    makeKey(gateway, by, { scopes: keyScopes, ...more });
  const ofKey = { role: 'owner', credential: 'key' } as const;
  const member = async (viewer: Viewer): Promise<Bearer> => {
    const { role, credential } = viewer;
    return { token: await gateway.bearer(viewer), role, credential };
  };
  const reading = keyScopes.filter(isDefaultScope);
  const analytics = ['analytics.read'];
  const dashboard = await gateway.database.dashboard.findFirstOrThrow({
    where: { workspaceId: world.id, id: { not: world.ids.dashboardId } },
  });
  const { owner, ids } = world;

  const valid: Record<Credential, Record<string, Bearer>> = {
    person: {
      'an owner': await member(owner),
      'an admin': await member(world.admin),
      'an editor': await member(world.editor),
      'a viewer': await member(world.viewer),
      'an owner of another workspace': { ...(await member(elsewhere.owner)), foreign: true },
    },
    operator: { 'a token of the operator': await member({ ...owner, credential: 'operator' }) },
    minted: {
      'a minted token of an owner': await member({ ...owner, credential: 'minted' }),
      'a minted token of another workspace': {
        ...(await member({ ...elsewhere.editor, credential: 'minted' })),
        foreign: true,
      },
    },
    secret: {
      'an app': await member(world.app),
      'an app of another workspace': { ...(await member(elsewhere.app)), foreign: true },
    },
    invitation: {
      'a link of an invitation': { token: await linkOf(gateway, world), role: 'invited', credential: 'invitation' },
    },
    key: {
      'a key with all scopes': { ...ofKey, token: await key({}), scopes: keyScopes },
      'a key of a viewer': { ...ofKey, token: await key({}, world.viewer), role: 'viewer', scopes: keyScopes },
      'a read-only key': { ...ofKey, token: await key({ scopes: reading }), scopes: reading },
      'a key of another agent': {
        ...ofKey,
        token: await key({ scopes: limitedKeyScopes, agentIds: [ids.activeAgentId] }),
        scopes: limitedKeyScopes,
        limit: 'agents',
      },
      'a key of no base': {
        ...ofKey,
        token: await key({ scopes: limitedKeyScopes, baseIds: [ids.channelId] }),
        scopes: limitedKeyScopes,
        limit: 'bases',
      },
      'a key of an operation': {
        ...ofKey,
        token: await key({ operations: [operation] }),
        scopes: keyScopes,
        limit: 'operation',
      },
      'a key for analytics': { ...ofKey, token: await key({ scopes: analytics }), scopes: analytics },
      'a link to the board': {
        ...ofKey,
        token: await key({ scopes: reading, dashboardId: ids.dashboardId }),
        scopes: reading,
        limit: 'board',
      },
      'a link to another board': {
        ...ofKey,
        token: await key({ scopes: reading, dashboardId: dashboard.id }),
        scopes: reading,
        limit: 'another board',
      },
      'a key of another workspace': {
        ...ofKey,
        token: await key({}, elsewhere.owner),
        scopes: keyScopes,
        foreign: true,
      },
    },
    visitor: {
      'a visitor': await visitor(gateway, world, ids.channelId),
      'a visitor of another channel': {
        ...(await visitor(gateway, world, await otherChannel(gateway, world))),
        foreign: true,
      },
      'a visitor of another workspace': {
        ...(await visitor(gateway, elsewhere, elsewhere.ids.channelId)),
        foreign: true,
      },
    },
  };
  return { ...Object.assign({}, ...Object.values(valid)), ...(await ended(gateway, world)) } as Record<string, Bearer>;
}

/** What is no bearer, or none any more. */
async function ended(gateway: Gateway, { id, owner }: World): Promise<Record<string, Bearer>> {
  const refused = (token: string | null, why: Bearer['refused'] = 'unauthorized'): Bearer => {
    return { token, role: 'owner', credential: 'person', refused: why };
  };
  const scopes = keyScopes;
  const past = new Date(gateway.services.now().getTime() - 1_000);
  const leaver = await makeMember(gateway, id, 'owner');
  const left = [await gateway.bearer(leaver), await makeKey(gateway, leaver, { scopes })] as const;
  await gateway.database.membership.deleteMany({ where: { workspaceId: id, id: leaver.membershipId ?? '' } });
  const { workspaceId, userId, membershipId } = owner;
  const claims = { workspaceId, userId: userId ?? '', membershipId: membershipId ?? '', role: 'owner' } as const;
  const expiring = await gateway.services.tokens.sign({ ...claims, credential: 'person' }, 1);
  await setTimeout(1_100);
  return {
    nobody: refused(null),
    garbage: refused('garbage'),
    'an expired token': refused(expiring, 'token_expired'),
    'an expired key': refused(await makeKey(gateway, owner, { scopes, expiresAt: past }), 'token_expired'),
    'a revoked key': refused(await makeKey(gateway, owner, { scopes, revokedAt: past })),
    'a member who has left': refused(left[0]),
    'a key of a member who has left': refused(left[1]),
    'an unknown app': refused(`pas_${'0'.repeat(43)}`),
  };
}

async function linkOf(gateway: Gateway, { id, owner }: TestWorkspace): Promise<string> {
  const input = { email: `invited-${id}@example.com`, name: 'Invited', role: 'editor' };
  return secretOf((await gateway.data(owner, inviting, { input })).inviteMember.link.url);
}

async function otherChannel({ database }: Gateway, { make }: World): Promise<string> {
  const row = { ...make.channel(), platform: 'widget' as const };
  await database.channel.create({ data: row });
  return row.id;
}

/** The token of a visitor of a channel, who has the world's conversation if it is of that channel. */
async function visitor({ services, database }: Gateway, { id, ids }: World, channelId: string): Promise<Bearer> {
  const { publishableToken, agentId } = await database.channel.findFirstOrThrow({
    where: { workspaceId: id, id: channelId },
  });
  const of = { workspaceId: id, channelId, agentId, visitorId: `vst_${ids.conversationId}` };
  const token = await services.tokens.visitors.sign({ ...of, publishableToken: publishableToken ?? '' });
  return { token, role: 'visitor', credential: 'visitor' };
}
