import { z } from 'zod';
import { requirePerson } from '../../auth/person.ts';
import type { Context, Services } from '../../context.ts';
import { searchedEmails } from '../../core/contacts/emails.ts';
import { conflict } from '../../core/errors.ts';
import { may, type Permission, permissions } from '../../core/permissions.ts';
import type { Viewer } from '../../core/viewer.ts';
import { transact } from '../../database/client.ts';
import type { Membership, User, Workspace } from '../../database/generated/prisma/client.ts';
import { kindOfId, newId } from '../../database/ids.ts';
import { change } from '../../database/query/write.ts';
import { foldName } from '../../text/fold.ts';
import { createBuiltInFields } from '../fields/custom-fields.ts';
import { parseInput, requiredText, type Unvalidated } from '../shared/input.ts';
import { rowWrite } from '../shared/mutations.ts';
import { addMember, personInput, phoneNumber, pictureAddress } from './memberships.ts';

const workspaceInput = z.object({
  id: z
    .string()
    .refine(
      (id) => kindOfId(id) === 'workspace',
      'must have the form of a workspace id: wsp_ and 26 of the characters 0-9 and a-z without i, l, o and u',
    )
    .optional(),
  name: requiredText(),
  owner: personInput,
});

const workspaceName = z.object({ name: requiredText() });

/**
 * Creates a workspace with its settings, its built-in fields and its owner: the person with that email, created if new.
 * For the operator: checks no permission. Throws 400, and 409 if the id is taken.
 */
export async function createWorkspace(
  services: Pick<Services, 'database' | 'pool'>,
  input: z.input<typeof workspaceInput>,
): Promise<{ workspace: Workspace; owner: Membership }> {
  const { id = newId('workspace'), name, owner } = parseInput(workspaceInput, input);
  return transact(services.database, async (tx) => {
    const [workspace] = await tx.workspace.createManyAndReturn({ data: { id, name }, skipDuplicates: true });
    if (!workspace) throw conflict('id: a workspace with this id already exists: choose another, or leave it out.');
    await tx.settings.create({ data: { workspaceId: id } });
    const membership = await addMember(services, tx, id, 'owner', owner);
    await createBuiltInFields(tx, id, membership.userId);
    return { workspace, owner: membership };
  });
}

/** Renames the workspace. Throws 400. */
export const updateWorkspace = rowWrite({
  model: 'Workspace',
  permission: 'workspace.write',
  prepare: (context, input: { name: string }) =>
    change('Workspace', { id: context.viewer.workspaceId }, parseInput(workspaceName, input)),
});

/** The viewer's permissions. A token from POST /apps/auth cannot get further tokens. */
export const permissionsOf = (viewer: Viewer): Permission[] =>
  (Object.keys(permissions) as Permission[]).filter(
    (permission) => may(viewer, permission) && !(viewer.credential === 'minted' && permission === 'apps.auth'),
  );

/** Whether the current user has accepted the current terms; false for apps, which have no user. */
export async function termsAccepted(context: Context): Promise<boolean> {
  const { database, viewer } = context;
  if (!viewer.userId) return false;
  const select = { termsVersion: true };
  return hasAcceptedTerms(context, await database.user.findUnique({ where: { id: viewer.userId }, select }));
}

/** The same of the user's row, if there is one. */
export const hasAcceptedTerms = ({ config }: Context, user: Pick<User, 'termsVersion'> | null): boolean =>
  user?.termsVersion === config.termsVersion;

/** Records that the current user accepts the current terms. Throws 403 unless they use a token of their own. */
export async function acceptTerms(context: Context): Promise<User> {
  const { config, database } = context;
  const data = { termsVersion: config.termsVersion, termsAcceptedAt: context.now() };
  return database.user.update({ where: { id: requirePerson(context) }, data });
}

const profile = z.object({
  name: requiredText().optional(),
  phone: phoneNumber.nullish(),
  picture: pictureAddress.nullish(),
});

/**
 * Updates the given properties of the current user, in all of their workspaces. Throws 400, and 403 like `acceptTerms`.
 */
export async function updateProfile(context: Context, input: Unvalidated<z.input<typeof profile>>): Promise<User> {
  const where = { id: requirePerson(context) };
  const data = parseInput(profile, input);
  return transact(context.database, async (tx) => {
    const user = await tx.user.update({ where, data });
    return tx.user.update({ where, data: { searchText: foldName(user.name, ...searchedEmails(user.email)) } });
  });
}
