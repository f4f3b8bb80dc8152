import { appSecrets } from '../../../src/auth/app-secrets.ts';
import type { Services } from '../../../src/context.ts';
import { type MemberRole, memberRoles } from '../../../src/core/roles.ts';
import type { Viewer } from '../../../src/core/viewer.ts';
import { newId } from '../../../src/database/ids.ts';
import { foldName } from '../../../src/text/fold.ts';
import { insertRows, type Rows } from '../database/insert-rows.ts';
import type { Gateway } from './app.ts';

/** A workspace with a member of every role, an app, and a subscription in force. */
export type TestWorkspace = { id: string } & Record<MemberRole | 'app', Viewer>;

let count = 0;
const next = () => ++count;

/** Creates a workspace with a viewer of each role, for `gateway.graphql` and `gateway.rest`. */
export async function makeWorkspace(
  { handle, services }: { handle: Pick<Gateway['handle'], 'pool'>; services: Pick<Services, 'secrets'> },
  maxInteractions = 1_000,
): Promise<TestWorkspace> {
  const { workspace, rows } = workspaceRows(services, { maxInteractions });
  await insertRows(handle.pool, rows);
  return workspace;
}

/** The rows of a new workspace, and the email of its owner. */
export function workspaceRows(
  { secrets }: Pick<Services, 'secrets'>,
  { name = `Workspace ${next()}`, maxInteractions = 1_000 } = {},
) {
  const id = newId('workspace');
  const { secret, secretHash } = appSecrets.create();
  const now = Date.now();
  // One after the other, as members come to be: lists sort by it.
  const members = memberRoles.map((role, place) => ({
    role,
    createdAt: new Date(now - place),
    ...memberRows(id, role),
  }));
  const app = { workspaceId: id, id: 'portal', name: 'Portal', color: '#2563eb', secretHash };
  const subscription = { workspaceId: id, id: newId('subscription'), appId: 'portal', priceId: 'price_1' };
  const rows: Rows[] = [
    ['Workspace', [{ id, name }]],
    ['App', [{ ...app, secretCipher: secrets.encrypt(secret) }]],
    ['Subscription', [{ ...subscription, status: 'active', maxInteractions }]],
    ['User', members.map(({ user, createdAt }) => ({ ...user, createdAt }))],
    ['Directory', members.map(({ user }) => ({ key: user.id, workspace: id }))],
    ['Membership', members.map(({ membership, createdAt }) => ({ ...membership, createdAt }))],
  ];
  const viewers = Object.fromEntries(members.map(({ role, viewer }) => [role, viewer])) as Record<MemberRole, Viewer>;
  const asApp = { workspaceId: id, role: 'app', credential: 'secret', userId: null, membershipId: null } as const;
  const workspace: TestWorkspace = { id, ...viewers, app: { ...asApp, appId: 'portal' } };
  return { workspace, rows, ownerEmail: members.find(({ role }) => role === 'owner')?.user.email ?? '' };
}

/** Creates a member of a workspace, who by default uses a personal token (`credential`). */
export async function makeMember(
  { database }: Pick<Gateway, 'database'>,
  workspaceId: string,
  role: MemberRole,
): Promise<Viewer> {
  const { user, membership, viewer } = memberRows(workspaceId, role);
  await database.user.create({ data: user });
  // On a cluster, no trigger does it.
  await database.directory.create({ data: { key: user.id, workspace: workspaceId } });
  await database.membership.create({ data: membership });
  return viewer;
}

/** The rows of a new member of a workspace, and the viewer. */
function memberRows(workspaceId: string, role: MemberRole) {
  const name = `Person ${next()}`;
  const email = `person${count}-${newId('user').slice(-8)}@example.com`;
  const user = { id: newId('user'), name, email, searchText: foldName(name, email) };
  const membership = { id: newId('membership'), workspaceId, userId: user.id, role };
  const ids = { workspaceId, userId: user.id, membershipId: membership.id };
  const viewer: Viewer = { ...ids, role, credential: 'person', appId: null };
  return { user, membership, viewer };
}

/** Creates an agent through GraphQL. */
export async function makeAgent(
  gateway: Gateway,
  viewer: Viewer | string,
  input: object = {},
): Promise<{ id: string }> {
  const document = 'mutation ($input: CreateAgentInput!) { createAgent(input: $input) { agent { id } } }';
  const data = await gateway.data(viewer, document, { input: { name: `Agent ${next()}`, ...input } });
  return data.createAgent.agent;
}
