import type { Context, Services } from '../../context.ts';
import type { Conversation } from '../../database/generated/prisma/client.ts';
import type {
  ConversationOutcome,
  ConversationStage,
  ConversationStatus,
} from '../../database/generated/prisma/enums.ts';
import { findRow } from '../../database/query/find-row.ts';
import { sql } from '../../database/sql.ts';
import { inBatches } from '../../database/upkeep/batches.ts';

export const outcomes = ['resolved_by_agent', 'resolved_by_person', 'handed_over', 'abandoned'] as const;

/** The stages that no other follows. */
const lastStages: ConversationStage[] = ['handoff', 'completed'];

/** The conversations that a completed lead completes: the agent answers in them. */
export const completable = { status: 'active', stage: { notIn: lastStages } } as const;
export const isCompletable = ({ status, stage }: Pick<Conversation, 'status' | 'stage'>): boolean =>
  status === completable.status && !lastStages.includes(stage);

/** A resolved conversation is open again when somebody writes in it. */
export const reopened = ({ status }: Pick<Conversation, 'status'>) =>
  status === 'resolved' ? { status: 'active' as const, outcome: null } : {};

type Change = {
  status?: ConversationStatus | undefined;
  outcome?: ConversationOutcome | undefined;
  stage?: ConversationStage | undefined;
  leadId?: string | null | undefined;
};

/** What a change of a conversation's status says of its end. One that was resolved already keeps how. */
export async function outcomeOfChange(context: Context, id: string, { status, outcome, stage }: Change) {
  if (status === 'active' || status === 'waiting_human') return { outcome: null };
  if (status !== 'resolved') return {};
  const ended = outcome ?? (await outcomeNow(context, id));
  if (!ended) return {};
  return { outcome: ended, ...(isResolved(ended) && { stage: stage ?? ('completed' as const) }) };
}

/** The stage of a conversation that is given a lead: a complete one completes it, as one that becomes complete does. */
export async function stageOfLead(context: Context, id: string, { leadId, status, stage }: Change) {
  if (!leadId || stage) return {};
  const { workspaceId } = context.viewer;
  const lead = await findRow(context, 'Lead', { workspaceId, id: leadId });
  if (lead?.capture !== 'completed') return {};
  const found = await findRow(context, 'Conversation', { workspaceId, id });
  return found && isCompletable({ ...found, ...(status && { status }) }) ? { stage: 'completed' as const } : {};
}

/** How it ends if it is resolved now, by the caller or by someone that a program does not name. Null: it has ended. */
async function outcomeNow({ database, viewer }: Context, id: string): Promise<ConversationOutcome | null> {
  const { workspaceId } = viewer;
  const [found] = await database.$queryRaw<{ hasEnded: boolean; outcome: ConversationOutcome }[]>`
    SELECT c."status" = 'resolved' AND c."outcome" IS NOT NULL AS "hasEnded",
      CASE ${byPeople(workspaceId)} ELSE 'resolved_by_agent' END AS "outcome"
    FROM "Conversation" c WHERE c."workspaceId" = ${workspaceId} AND c."id" = ${id}`;
  if (found?.hasEnded) return null;
  if (['person', 'operator', 'minted'].includes(viewer.credential)) return 'resolved_by_person';
  return found?.outcome ?? 'resolved_by_agent';
}

/** How a conversation `c` ends in which people had a part: the cases before those of the agent alone. */
const byPeople = (workspaceId: string) => sql`
  WHEN EXISTS (SELECT 1 FROM "Message" m WHERE m."workspaceId" = ${workspaceId} AND m."conversationId" = c."id"
    AND m."role" = 'assistant' AND m."createdBy" IS NOT NULL) THEN 'resolved_by_person'
  WHEN c."handedOver" OR c."status" = 'waiting_human' THEN 'handed_over'`;

const isResolved = (outcome: ConversationOutcome): boolean =>
  outcome === 'resolved_by_agent' || outcome === 'resolved_by_person';

type Silence = { workspaceId: string; agentId: string; minutes: number };

/**
 * Resolves the conversations in which nobody has written for as long as their agent waits, and says how they ended.
 * Those that ended long ago, such as before an upgrade, are updated as of then: a conversation is kept from `updatedAt`
 * on.
 */
export async function resolveInactive({ database, now }: Pick<Services, 'database' | 'now'>): Promise<void> {
  const at = now();
  const silences = await database.$queryRaw<Silence[]>`
    SELECT a."workspaceId", a."id" AS "agentId", a."resolveAfterMinutes" AS "minutes" FROM "Agent" a
    WHERE a."resolveAfterMinutes" > 0 AND EXISTS (
      SELECT 1 FROM "Conversation" c WHERE c."workspaceId" = a."workspaceId" AND c."agentId" = a."id"
        AND c."status" IN ('active', 'waiting_human') AND c."turnId" IS NULL
        AND c."updatedAt" < ${at}::timestamptz - make_interval(mins => a."resolveAfterMinutes"))`;
  for (const silence of silences) await inBatches(() => resolve(database, at, silence));
}

/** A question mark at the end, before closing marks, smileys and references to sources. */
const question =
  '[?？؟]([]["\u201d\u2019»)}*_`.!~[:space:]\u2600-\u27bf\ufe0f\u{1f000}-\u{1faff}\'-]|[[][0-9]+[]]|</[a-z]+>)*$';

const hourMs = 3_600_000;

function resolve(database: Services['database'], at: Date, { workspaceId, agentId, minutes }: Silence) {
  const before = new Date(at.getTime() - minutes * 60_000);
  const lately = new Date(before.getTime() - hourMs);
  return database.$executeRaw`
    WITH silent AS MATERIALIZED (
      SELECT "id", "status", "handedOver", CASE WHEN "updatedAt" < ${lately}
          THEN "updatedAt" + make_interval(mins => ${minutes}::int) ELSE ${at}::timestamptz END AS "endedAt"
      FROM "Conversation" WHERE "workspaceId" = ${workspaceId} AND "agentId" = ${agentId}
        AND "status" IN ('active', 'waiting_human') AND "turnId" IS NULL AND "updatedAt" < ${before}
      ORDER BY "updatedAt" LIMIT 500 FOR UPDATE SKIP LOCKED
    ), ended AS MATERIALIZED (
      SELECT c."id", c."endedAt", CASE ${byPeople(workspaceId)}
        WHEN said."role" = 'user' THEN NULL
        WHEN said."content" ~ ${question} THEN 'abandoned'
        WHEN said."role" = 'assistant' THEN 'resolved_by_agent' END AS "outcome"
      FROM silent c LEFT JOIN LATERAL (
        SELECT m."role", m."content" FROM "Message" m WHERE m."workspaceId" = ${workspaceId}
          AND m."conversationId" = c."id" AND m."role" IN ('user', 'assistant') AND m."content" IS NOT NULL
          AND NOT m."metadata" ? 'paused'
        ORDER BY m."position" DESC LIMIT 1
      ) said ON true
    )
    UPDATE "Conversation" c SET "status" = 'resolved', "outcome" = ended."outcome"::"ConversationOutcome",
      "stage" = CASE WHEN ended."outcome" IN ('resolved_by_agent', 'resolved_by_person') THEN 'completed' ELSE c."stage" END,
      "handedOver" = CASE WHEN c."status" = 'waiting_human' THEN true ELSE c."handedOver" END,
      "updatedAt" = ended."endedAt", "takenOverBy" = NULL, "takenOverAt" = NULL
    FROM ended WHERE c."workspaceId" = ${workspaceId} AND c."id" = ended."id"`;
}
