import { decodeJwt, SignJWT } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import { issueToken } from '../../src/auth/issue.ts';
import { createSigningKeys } from '../../src/auth/signing-keys.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home } = useWorkspaces();
const roles = ['owner', 'admin', 'editor', 'viewer'] as const;

const acts = [
  ['updateProfile', 'mutation { updateProfile(input: { name: "Somebody else" }) { viewer { role } } }'],
  ['acceptTerms', 'mutation { acceptTerms(input: {}) { viewer { role } } }'],
] as const;

const issued = (request: object) => issueToken(gateway.services, { workspaceId: home.id, ...request });
const minted = async (role: (typeof roles)[number]) => {
  const body = { userId: home[role].userId, role, tenantId: home.id };
  return (await gateway.rest(home.owner, 'POST', '/rest/apps/auth', body)).body.token;
};
/** A token from before tokens recorded how they were obtained. */
async function claimless(bearer: string): Promise<string> {
  const { credential: _, ...claims } = decodeJwt(bearer);
  const { database, secrets, now } = gateway.services;
  const { kid, key } = await createSigningKeys({ database, secrets, now }).current();
  return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid }).sign(key);
}

const bearers: Record<string, string> = {};
beforeAll(async () => {
  for (const role of roles) {
    bearers[`${role} of the operator`] = await gateway.bearer({ ...home[role], credential: 'operator' });
    bearers[`${role} by POST /apps/auth`] = await minted(role);
    bearers[`${role} of before the claim`] = await claimless(await gateway.bearer(home[role]));
  }
  bearers['owner found by the operator'] = await issued({});
  bearers.app = await gateway.bearer(home.app);
});

/** The three ways to act as a person. */
const ways = /with the identity provider.*npm run token -- --user.*npm run open prints/;

const before = () => gateway.database.user.findMany({ orderBy: { id: 'asc' } });

test.each(acts)('%s takes the token of the person, whatever the role', async (name, document) => {
  for (const role of roles) {
    const token = await issued({ userId: home[role].userId });
    expect((await gateway.graphql(token, document)).data[name].viewer.role).toBe(role);
  }
});

test.each(acts)('%s is refused to every bearer that others may hold, and changes nobody', async (_, document) => {
  const people = await before();
  expect(Object.keys(bearers)).toHaveLength(14);
  for (const bearer of Object.values(bearers))
    expectFailure(await gateway.graphql(bearer, document), 'forbidden', ways);
  expect(await before()).toEqual(people);
});

test('what others may hold reads as before', async () => {
  for (const [name, bearer] of Object.entries(bearers)) {
    const { viewer } = (await gateway.graphql(bearer, '{ viewer { role } }')).data;
    expect(name).toContain(viewer.role);
  }
});
