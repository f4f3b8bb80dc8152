import { appSecrets } from '../../../src/auth/app-secrets.ts';
import type { MemberRole } from '../../../src/core/roles.ts';
import type { Viewer } from '../../../src/core/viewer.ts';
import { newId } from '../../../src/database/ids.ts';
import { foldName } from '../../../src/text/fold.ts';
import type { Gateway } from './app.ts';

/** A workspace with a member of every role, an app, and a subscription in force. */
export type TestWorkspace = { id: string } & Record<MemberRole | 'app', Viewer>;

let count = 0;
const next = () => ++count;

/** Creates a workspace with a viewer of each role, for `gateway.graphql` and `gateway.rest`. */
export async function makeWorkspace({ database, services }: Gateway, maxInteractions = 1_000): Promise<TestWorkspace> {
  const id = newId('workspace');
  const { secret, secretHash } = appSecrets.create();
  await database.workspace.create({ data: { id, name: `Workspace ${next()}` } });
  await database.app.create({
    data: {
      workspaceId: id,
      id: 'portal',
      name: 'Portal',
      color: '#2563eb',
      secretCipher: services.secrets.encrypt(secret),
      secretHash,
    },
  });
  await database.subscription.create({
    data: {
      id: newId('subscription'),
      workspaceId: id,
      appId: 'portal',
      priceId: 'price_1',
      status: 'active',
      maxInteractions,
    },
  });
  const member = (role: MemberRole) => makeMember({ database }, id, role);
  return {
    id,
    owner: await member('owner'),
    admin: await member('admin'),
    editor: await member('editor'),
    viewer: await member('viewer'),
    app: { workspaceId: id, role: 'app', credential: 'secret', userId: null, membershipId: null, appId: 'portal' },
  };
}

/** Creates a member of a workspace, who by default uses a personal token (`credential`). */
export async function makeMember(
  { database }: Pick<Gateway, 'database'>,
  workspaceId: string,
  role: MemberRole,
): Promise<Viewer> {
  const name = `Person ${next()}`;
  const email = `person${count}-${newId('user').slice(-8)}@example.com`;
  const user = await database.user.create({
    data: { id: newId('user'), name, email, searchText: foldName(name, email) },
  });
  const data = { id: newId('membership'), workspaceId, userId: user.id, role };
  const membership = await database.membership.create({ data });
  return { workspaceId, role, credential: 'person', userId: user.id, membershipId: membership.id, appId: null };
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
