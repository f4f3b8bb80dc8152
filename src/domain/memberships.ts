import { z } from 'zod';
import { permit } from '../auth/permissions.ts';
import { memberRoles } from '../auth/roles.ts';
import type { Context } from '../context.ts';
import { lockNames } from '../database/advisory.ts';
import { type Transaction, transact } from '../database/client.ts';
import type { MemberRole, Membership, User } from '../database/generated/prisma/client.ts';
import { newId } from '../database/ids.ts';
import { listRule } from '../database/list.ts';
import { containsName, foldName } from '../database/text.ts';
import { conflict, notFound } from '../errors.ts';
import { parseInput, requiredText } from './input.ts';

export const membershipList = listRule({
  model: 'Membership',
  permission: 'memberships.read',
  // REST answers the members as one array.
  maxPageSize: 1_000,
  orders: { createdAt: { type: 'date' } },
  filters: { role: { kind: 'in', column: 'role' }, userId: { kind: 'equals', column: 'userId' } },
  search: (term) => ({ user: { searchText: containsName(term) } }),
});

/** A role of a member or of a role record. */
export const memberRole = z.enum(memberRoles, `must be one of ${memberRoles.join(', ')}`);

export const phoneNumber = z
  .string()
  .regex(/^\+[1-9]\d{6,14}$/, 'must be in international form (E.164), such as +5511987654321');

export const pictureAddress = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .max(2_000, 'must have at most 2000 characters');

/** Who a person is. The email is kept in lower case, since people do not tell its cases apart. */
export const personInput = z.object({
  email: z
    .string()
    .trim()
    .toLowerCase()
    .max(254, 'must have at most 254 characters')
    .pipe(z.email('must be an email address')),
  name: requiredText(),
  phone: phoneNumber.nullish(),
  picture: pictureAddress.nullish(),
});

const invitation = personInput.extend({ role: memberRole });

/**
 * Makes a person a member. Whoever has the email already joins as they are: what else is given of them is for the new
 * only, since they may be members elsewhere. Throws 409 `conflict` for a member, 403 when an admin makes an owner.
 */
export async function inviteMember(context: Context, input: z.input<typeof invitation>): Promise<Membership> {
  permit(context, 'memberships.write');
  const { role, ...person } = parseInput(invitation, input);
  if (role === 'owner') permit(context, 'owners.write');
  return transact(context.database, (tx) => addMember(tx, context.viewer.workspaceId, role, person));
}

/** Makes a person a member, and the person when the email is new. Throws 409 `conflict` when they are one. */
export async function addMember(
  tx: Transaction,
  workspaceId: string,
  role: MemberRole,
  person: z.output<typeof personInput>,
): Promise<Membership> {
  const user = await findOrCreateUser(tx, person);
  const data = { id: newId('membership'), workspaceId, userId: user.id, role };
  const [membership] = await tx.membership.createManyAndReturn({ data, skipDuplicates: true });
  if (!membership) throw conflict('email: this person is a member of the workspace already.');
  return membership;
}

/** Not an upsert: with nothing to update, Prisma reads first, and two who invite the same person at once clash. */
async function findOrCreateUser(tx: Transaction, person: z.output<typeof personInput>): Promise<User> {
  const { email, name } = person;
  const data = { ...person, id: newId('user'), searchText: foldName(name, email) };
  const [user] = await tx.user.createManyAndReturn({ data, skipDuplicates: true });
  return user ?? tx.user.findUniqueOrThrow({ where: { email } });
}

/** Gives a member another role. Only an owner may make or change an owner; the last owner stays one (409). */
export async function updateMember(context: Context, id: string, role: MemberRole): Promise<Membership> {
  const next = parseInput(z.object({ role: memberRole }), { role }).role;
  return changeMember(context, id, next, (tx, where) => tx.membership.update({ where, data: { role: next } }));
}

/** Takes a member out of the workspace; their tokens stop working. Only an owner may remove an owner, never the last. */
export async function removeMember(context: Context, id: string): Promise<void> {
  await changeMember(context, id, null, (tx, where) => tx.membership.delete({ where }));
}

type Key = { workspaceId_id: { workspaceId: string; id: string } };

async function changeMember<T>(
  context: Context,
  id: string,
  next: MemberRole | null,
  write: (tx: Transaction, where: Key) => Promise<T>,
): Promise<T> {
  permit(context, 'memberships.write');
  const { workspaceId } = context.viewer;
  const where = { workspaceId_id: { workspaceId, id } };
  const changed = await transact(context.database, async (tx) => {
    // Two owners who demote each other at once must not both find the other one still there.
    await lockNames(tx, [`owners of ${workspaceId}`]);
    const member = await tx.membership.findUnique({ where, select: { role: true } });
    if (!member) throw notFound('Membership');
    if (member.role === 'owner' || next === 'owner') permit(context, 'owners.write');
    if (member.role === 'owner' && next !== 'owner') await requireOtherOwner(tx, workspaceId, id);
    return write(tx, where);
  });
  context.tokens.forget();
  return changed;
}

async function requireOtherOwner(tx: Transaction, workspaceId: string, id: string): Promise<void> {
  const other = await tx.membership.findFirst({
    where: { workspaceId, role: 'owner', id: { not: id } },
    select: { id: true },
  });
  if (!other) throw conflict('This is the last owner of the workspace: make another member an owner first.');
}
