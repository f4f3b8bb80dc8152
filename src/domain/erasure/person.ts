import { z } from 'zod';
import { notFound } from '../../core/errors.ts';
import type { Transaction } from '../../database/client.ts';
import { emailText, phoneText } from '../shared/contact-texts.ts';

export const personInput = z
  .object({
    email: emailText.nullish(),
    phone: phoneText.nullish(),
    conversationId: z.string().nullish(),
  })
  .refine(({ email, phone, conversationId }) => [email, phone, conversationId].filter(Boolean).length === 1, {
    error: 'must have exactly one of email, phone and conversationId',
  });
type Known = z.output<typeof personInput>;

/** The rows of a person, and the words that name them. */
export type Person = {
  workspaceId: string;
  leadIds: string[];
  conversationIds: string[];
  /** Emails, phones and names of the leads. */
  names: string[];
  /** Conversations with one of their identifiers at a platform, which other people have too. */
  sharedCount: number;
};

type LeadRow = { id: string; name: string | null; email: string | null; phone: string | null };
type Account = { platform: string; platformUserIdentifier: string; isShared: boolean; free: number };

/**
 * Finds what belongs to a person, step by step until nothing is added: leads with the email or phone, or captured in
 * one of their conversations; leads with the email of one of these; conversations of these leads; branches of these
 * conversations; and conversations with the same identifier at the same platform, unless leads of other people have it
 * too. Phones are followed only if they are given, since a household or a company may share one. Throws 404.
 */
export async function findPerson(
  tx: Transaction,
  workspaceId: string,
  { email, phone, conversationId }: Known,
): Promise<Person> {
  const leads = new Map<string, LeadRow>();
  const conversations = new Set<string>();
  if (conversationId) {
    const found = await tx.conversation.findFirst({
      where: { workspaceId, id: conversationId },
      select: { id: true },
    });
    if (!found) throw notFound('Conversation');
    conversations.add(conversationId);
  }
  const accounts = [email, phone, phone?.slice(1)].filter((name) => name != null);
  for (;;) {
    const before = leads.size + conversations.size;
    const emails = [email, ...[...leads.values()].map((lead) => lead.email)].filter((known) => known != null);
    for (const lead of await findLeads(tx, { workspaceId, emails, phone: phone ?? null, leads, conversations }))
      leads.set(lead.id, lead);
    for (const { id } of await findConversations(tx, { workspaceId, leads, conversations })) conversations.add(id);
    const known = await findAccounts(tx, { workspaceId, leads, conversations, accounts });
    for (const { id } of await withAccounts(tx, workspaceId, known)) conversations.add(id);
    if (leads.size + conversations.size > before) continue;
    const shared = known.filter(({ isShared }) => isShared);
    return {
      workspaceId,
      leadIds: [...leads.keys()],
      conversationIds: [...conversations],
      names: [...leads.values()].flatMap((lead) => [lead.name, lead.email, lead.phone]).filter((name) => name !== null),
      sharedCount: shared.reduce((sum, { free }) => sum + free, 0),
    };
  }
}

type Found = { workspaceId: string; leads: Map<string, LeadRow>; conversations: Set<string> };

// Unions of what indexes find: one condition with OR would read the whole table.
const findLeads = (
  tx: Transaction,
  { workspaceId, emails, phone, leads, conversations }: Found & { emails: string[]; phone: string | null },
): Promise<LeadRow[]> => tx.$queryRaw`
  WITH found AS (
    SELECT "id" FROM "Lead" WHERE "workspaceId" = ${workspaceId} AND "id" = ANY (${[...leads.keys()]}::text[])
    UNION SELECT "id" FROM "Lead" WHERE "workspaceId" = ${workspaceId} AND "email" = ANY (${emails}::text[])
    UNION SELECT "id" FROM "Lead" WHERE "workspaceId" = ${workspaceId} AND "phone" = ${phone}::text
    UNION SELECT "leadId" FROM "Conversation"
    WHERE "workspaceId" = ${workspaceId} AND "id" = ANY (${[...conversations]}::text[]) AND "leadId" IS NOT NULL
    UNION SELECT held."leadId" FROM "Message" AS said
    JOIN "LeadValue" AS held ON held."workspaceId" = ${workspaceId} AND held."messageId" = said."id"
    WHERE said."workspaceId" = ${workspaceId} AND said."conversationId" = ANY (${[...conversations]}::text[])
  )
  SELECT lead."id", lead."name", lead."email", lead."phone" FROM found
  JOIN "Lead" AS lead ON lead."workspaceId" = ${workspaceId} AND lead."id" = found."id"`;

const findConversations = (tx: Transaction, { workspaceId, leads, conversations }: Found): Promise<{ id: string }[]> =>
  tx.$queryRaw`
  SELECT "id" FROM "Conversation" WHERE "workspaceId" = ${workspaceId} AND "leadId" = ANY (${[...leads.keys()]}::text[])
  UNION SELECT "id" FROM "Conversation"
  WHERE "workspaceId" = ${workspaceId} AND "branchedFromId" = ANY (${[...conversations]}::text[])
  UNION SELECT origin."id" FROM "Conversation" AS branch
  JOIN "Conversation" AS origin ON origin."workspaceId" = ${workspaceId} AND origin."id" = branch."branchedFromId"
  WHERE branch."workspaceId" = ${workspaceId} AND branch."id" = ANY (${[...conversations]}::text[])`;

/** Their identifiers at platforms: those of their conversations, and `accounts`, such as a phone number at WhatsApp. */
const findAccounts = (
  tx: Transaction,
  { workspaceId, leads, conversations, accounts }: Found & { accounts: string[] },
): Promise<Account[]> => tx.$queryRaw`
  SELECT held."platform"::text, held."platformUserIdentifier", count(*) FILTER (WHERE held."leadId" IS NULL
      AND held."id" <> ALL (${[...conversations]}::text[]))::int AS "free",
    bool_or(held."leadId" IS NOT NULL AND held."leadId" <> ALL (${[...leads.keys()]}::text[])) AS "isShared"
  FROM "Conversation" AS held
  JOIN (
    SELECT DISTINCT "platform", "platformUserIdentifier" FROM "Conversation"
    WHERE "workspaceId" = ${workspaceId} AND "platformUserIdentifier" <> ''
      AND ("id" = ANY (${[...conversations]}::text[]) OR "platformUserIdentifier" = ANY (${accounts}::text[]))
  ) AS own ON own."platform" = held."platform" AND own."platformUserIdentifier" = held."platformUserIdentifier"
  WHERE held."workspaceId" = ${workspaceId} GROUP BY 1, 2`;

const withAccounts = (tx: Transaction, workspaceId: string, accounts: Account[]): Promise<{ id: string }[]> => {
  const own = accounts.filter(({ isShared }) => !isShared);
  return tx.$queryRaw`
    SELECT "id" FROM "Conversation" WHERE "workspaceId" = ${workspaceId}
      AND ("platform"::text, "platformUserIdentifier") IN (
        SELECT * FROM unnest(${own.map(({ platform }) => platform)}::text[],
          ${own.map(({ platformUserIdentifier }) => platformUserIdentifier)}::text[]))`;
};
