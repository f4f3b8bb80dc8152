import { z } from 'zod';
import { storedEmail } from '../core/contacts/emails.ts';
import { forbidden, invalid, notFound } from '../core/errors.ts';
import { exceeds, type MemberRole, memberRoles } from '../core/roles.ts';
import { recordToken } from '../database/audit/record.ts';
import type { Database } from '../database/client.ts';
import { actingAs } from '../database/deadline.ts';
import { DEMO_WORKSPACE_ID } from './demo.ts';
import { isInvited } from './invited.ts';
import { MAX_TTL_SECONDS } from './signing-keys.ts';
import type { Tokens } from './tokens.ts';

const ttlError = { error: `must be a whole number of seconds from 1 to ${MAX_TTL_SECONDS}` };
const requestShape = z.strictObject({
  workspaceId: z.string().min(1).optional(),
  userId: z.string().min(1).optional(),
  role: z.enum(memberRoles, { error: `must be one of ${memberRoles.join(', ')}` }).optional(),
  ttl: z.int(ttlError).min(1, ttlError).max(MAX_TTL_SECONDS, ttlError).optional(),
});

/** `userId` may be an email address. `ttl` is in seconds. */
export type TokenRequest = z.infer<typeof requestShape>;

const howToCreateOne =
  'create one with npm run --silent workspace -- --name <name> --owner-email <email> --owner-name <name>, or start the ' +
  'gateway once with DEMO=true (the default on the embedded database)';

type Services = { database: Database; tokens: Tokens };

/**
 * Issues an access token for the named member, or else for the first owner, of the named workspace, or else of the demo
 * workspace. For a named person the credential is `person`, otherwise `operator`, unless the owner asked in their own
 * browser (`credential`). A named person who is only invited, or who became a member by a link alone, gets a token that
 * can only answer invitations. For the machine's operator: permissions are not checked, and the audit log of each
 * workspace that it opens has an entry. Throws 400, 403 or 404.
 */
export async function issueToken(services: Services, request: unknown, credential?: 'person'): Promise<string> {
  const { workspaceId: named, userId, role, ttl } = parse(request);
  const workspaceId = named ?? DEMO_WORKSPACE_ID;
  const email = userId && (await invitedEmail(services.database, userId, named));
  if (!email) await requireWorkspace(services.database, workspaceId);
  const member = await services.database.membership.findFirst({
    where: { workspaceId, acceptedAt: { not: null }, ...(userId ? { user: personOf(userId) } : { role: 'owner' }) },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  if (!member && email) {
    await recordForAll(services.database, email);
    return services.tokens.signPerson(email, ttl);
  }
  if (!member) throw notFound(userId ? 'Member with this user id or email' : 'Owner of the workspace');
  if (role && exceeds(role, member.role)) {
    throw forbidden(`role: this member is ${member.role}, so a token cannot grant ${role}.`);
  }
  const claims = {
    workspaceId,
    userId: member.userId,
    membershipId: member.id,
    role: role ?? member.role,
    credential: credential ?? (userId ? 'person' : 'operator'),
  } as const;
  const issued = { id: member.id, role: claims.role };
  await recordAsOperator(services.database, [{ ...issued, workspaceId }]);
  return services.tokens.sign(claims, ttl);
}

type Issued = { workspaceId: string; id: string; role: MemberRole };

/** Call this first: there is no token that the log does not have. */
async function recordAsOperator(database: Database, memberships: Issued[]): Promise<void> {
  await actingAs({ kind: 'operator', id: null, address: null }, async () => {
    for (const { workspaceId, ...member } of memberships) await recordToken(database, workspaceId, member);
  });
}

/** The token of a person acts in their only workspace, or in one whose invitation they accept with it. */
async function recordForAll(database: Database, email: string): Promise<void> {
  const select = { workspaceId: true, id: true, role: true } as const;
  await recordAsOperator(database, await database.membership.findMany({ where: { user: { email } }, select }));
}

function parse(request: unknown): TokenRequest {
  const parsed = requestShape.safeParse(request);
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues.map((issue) => [...issue.path, issue.message].join(': ')));
}

const personOf = (user: string) => ({
  ...(user.includes('@') ? { email: storedEmail(user) } : { id: user }),
  invitedTo: '',
});

/** Returns the email of a person who has an invitation to answer, in the given workspace if one is named. */
async function invitedEmail(database: Database, user: string, workspaceId?: string): Promise<string | null> {
  const matches = user.includes('@')
    ? { email: storedEmail(user) }
    : await database.user.findFirst({ where: { id: user } });
  return matches && (await isInvited(database, matches.email, workspaceId)) ? matches.email : null;
}

async function requireWorkspace(database: Database, id: string): Promise<void> {
  if (await database.workspace.findUnique({ where: { id }, select: { id: true } })) return;
  if (id !== DEMO_WORKSPACE_ID) throw notFound('Workspace');
  if (await database.workspace.findFirst({ select: { id: true } })) {
    throw invalid(
      'workspaceId: this gateway has no demo workspace; name a workspace: npm run --silent token -- --workspace wsp_…',
    );
  }
  throw invalid(`There is no workspace yet: ${howToCreateOne}`);
}
