import { z } from 'zod';
import type { Context, Services } from '../../context.ts';
import { emailPattern, searchedEmails, storedEmail } from '../../core/contacts/emails.ts';
import { conflict, notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { memberRoles } from '../../core/roles.ts';
import { lockNames } from '../../database/advisory.ts';
import { type Transaction, transact } from '../../database/client.ts';
import { addToDirectory } from '../../database/directory.ts';
import type { MemberRole, Membership, User } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { change, removal } from '../../database/query/write.ts';
import { listRule } from '../../lists/list.ts';
import { containsName, foldName } from '../../text/fold.ts';
import { parseInput, requiredText } from '../shared/input.ts';
import { rowWithId, rowWrite } from '../shared/mutations.ts';

export const membershipList = listRule({
  model: 'Membership',
  permission: 'memberships.read',
  analytics: { except: ['name', 'email', 'phone'] },
  // REST returns all members as one array.
  maxPageSize: 1_000,
  orders: { createdAt: { type: 'date' } },
  filters: {
    role: { kind: 'in', column: 'role' },
    userId: { kind: 'equals', column: 'userId' },
    accepted: { kind: 'present', column: 'acceptedAt' },
    ids: { kind: 'in', column: 'id' },
    userIds: { kind: 'in', column: 'userId' },
    createdAt: { kind: 'range', column: 'createdAt' },
    updatedAt: { kind: 'range', column: 'updatedAt' },
  },
  search: (term) => ({ user: { searchText: containsName(term) } }),
  groups: {
    moments: ['createdAt'],
    by: { role: { kind: 'value', column: 'role' }, accepted: { kind: 'present', column: 'acceptedAt' } },
  },
});

export const memberRole = z.enum(memberRoles, `must be one of ${memberRoles.join(', ')}`);

const roleInput = z.object({ role: memberRole });

export const phoneNumber = z
  .string()
  .regex(/^\+[1-9]\d{6,14}$/, 'must be in international form (E.164), such as +5511987654321');

export const pictureAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).max(2_000);

/** A person. Emails are stored in lower case, as people ignore their case, and with their domain in punycode. */
export const personInput = z.object({
  email: z
    .string()
    .trim()
    .overwrite(storedEmail)
    .max(254)
    .pipe(z.email({ error: 'must be an email address', pattern: emailPattern })),
  name: requiredText(),
  phone: phoneNumber.nullish(),
  picture: pictureAddress.nullish(),
});

/**
 * Adds a person as a member without an invitation, creating them if the email is new: for the operator. Throws 409
 * `conflict` if they are a member.
 */
export async function addMember(
  { pool }: Pick<Services, 'pool'>,
  tx: Transaction,
  workspaceId: string,
  role: MemberRole,
  person: z.output<typeof personInput>,
): Promise<Membership> {
  const user = await findOrCreateUser(tx, person);
  await addToDirectory({ database: tx, pool }, workspaceId, [user.id]);
  const data = { id: newId('membership'), workspaceId, userId: user.id, role };
  const [membership] = await tx.membership.createManyAndReturn({ data, skipDuplicates: true });
  if (!membership) throw conflict('email: this person is already a member of the workspace.');
  return membership;
}

async function findOrCreateUser(tx: Transaction, person: z.output<typeof personInput>): Promise<User> {
  await lockPerson(tx, person.email);
  const user = await tx.user.findUnique({ where: personWithEmail(person.email) });
  return user ?? createPerson(tx, person);
}

/** Creates the person with a verified email. The caller holds `lockPerson` and has found none. */
export function createPerson(tx: Transaction, person: z.output<typeof personInput>): Promise<User> {
  const { email, name, phone, picture } = person;
  return tx.user.create({
    data: { email, name, phone, picture, id: newId('user'), searchText: foldName(name, ...searchedEmails(email)) },
  });
}

/** Selects the person with an email, not those whom a single workspace knows by it. */
export const personWithEmail = (email: string) => ({ email_invitedTo: { email, invitedTo: '' } });

/** Serializes decisions that depend on whether a person with an email exists. */
export const lockPerson = (tx: Transaction, email: string): Promise<void> => lockNames(tx, [`person ${email}`]);

/** Selects members who have accepted: others have no rights and are not counted. */
export const accepted = { acceptedAt: { not: null } };

/**
 * Changes the role of a member. Throws 400, 403 if an admin changes or makes an owner, 404, and 409 for the last owner.
 */
export const updateMember = rowWrite({
  model: 'Membership',
  permission: 'memberships.write',
  prepare: (context, { id, role }: { id: string; role: MemberRole }) => {
    const next = parseInput(roleInput, { role }).role;
    return next === 'owner' ? null : change('Membership', notOwner(context, id), { role: next });
  },
  fallback: (context, { id, role }) =>
    changeMember(context, id, role, (tx, where) => tx.membership.update({ where, data: { role } })),
  after: ({ tokens }) => tokens.forget(),
});

/**
 * Removes a member or withdraws an invitation; their tokens and its link stop working. Throws 403 and 404, and 409 for
 * the last owner, like `updateMember`.
 */
export const removeMember = rowWrite({
  model: 'Membership',
  permission: 'memberships.write',
  // Whom only this workspace knows is deleted with the membership.
  prepare: (context, { id }: { id: string }) =>
    removal('Membership', { ...notOwner(context, id), user: { invitedTo: '' } }),
  fallback: (context, { id }) =>
    changeMember(context, id, null, async (tx, where) => {
      const removed = await tx.membership.delete({ where });
      await tx.user.deleteMany({ where: { id: removed.userId, invitedTo: removed.workspaceId } });
      return removed;
    }),
  after: ({ tokens }) => tokens.forget(),
});

/** Selects a member who is no owner: no other change can make them the last one. */
const notOwner = (context: Context, id: string) => ({
  ...rowWithId(context, id),
  role: { in: memberRoles.filter((role) => role !== 'owner') },
});

type Key = { workspaceId_id: { workspaceId: string; id: string } };

async function changeMember<T>(
  context: Context,
  id: string,
  next: MemberRole | null,
  write: (tx: Transaction, where: Key) => Promise<T>,
): Promise<T> {
  const { workspaceId } = context.viewer;
  const where = { workspaceId_id: { workspaceId, id } };
  return transact(context.database, async (tx) => {
    await lockOwners(tx, workspaceId);
    const member = await tx.membership.findUnique({ where, select: { role: true, acceptedAt: true } });
    if (!member) throw notFound('Membership');
    if (member.role === 'owner' || next === 'owner') permit(context, 'owners.write');
    if (member.role === 'owner' && member.acceptedAt && next !== 'owner') await requireOtherOwner(tx, workspaceId, id);
    return write(tx, where);
  });
}

/** Two owners who demote each other concurrently must not each find the other still an owner. */
export const lockOwners = (tx: Transaction, workspaceId: string): Promise<void> =>
  lockNames(tx, [`owners of ${workspaceId}`]);

/** Throws 409 `conflict` unless the workspace has another owner. The caller holds `lockOwners`. */
export async function requireOtherOwner(tx: Transaction, workspaceId: string, id: string): Promise<void> {
  const other = await tx.membership.findFirst({
    where: { workspaceId, role: 'owner', id: { not: id }, ...accepted },
    select: { id: true },
  });
  if (!other) throw conflict('This is the last owner of the workspace: make another member an owner first.');
}
