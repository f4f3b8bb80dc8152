import type { Context, Services } from '../../context.ts';
import { inBatches } from '../../database/batches.ts';
import type {
  ConversationOutcome,
  ConversationStage,
  ConversationStatus,
} from '../../database/generated/prisma/enums.ts';

export const outcomes = ['resolved_by_agent', 'resolved_by_person', 'handed_over', 'abandoned'] as const;

/** Conversations that may still be answered. */
export const openStatuses: ConversationStatus[] = ['active', 'waiting_human'];
/** The stages that no other follows. */
export const lastStages: ConversationStage[] = ['handoff', 'completed'];

type Change = { status?: ConversationStatus; outcome?: ConversationOutcome; stage?: ConversationStage };

/** What a change of the status says of the end of a conversation: a person who resolves it has seen that it is done. */
export function endingOf({ viewer }: Context, { status, outcome, stage }: Change) {
  if (status === 'active' || status === 'waiting_human') return { outcome: null };
  if (status !== 'resolved') return {};
  const byPerson = ['person', 'operator', 'minted'].includes(viewer.credential);
  const ended = outcome ?? (byPerson ? 'resolved_by_person' : 'resolved_by_agent');
  return { outcome: ended, ...(isResolved(ended) && { stage: stage ?? ('completed' as const) }) };
}

const isResolved = (outcome: ConversationOutcome): boolean =>
  outcome === 'resolved_by_agent' || outcome === 'resolved_by_person';

type Silence = { workspaceId: string; agentId: string; before: Date };

/**
 * Resolves the conversations in which nobody has written for as long as their agent waits, and says how they ended.
 * `updatedAt` stays that of the last message, from which the time counts that a conversation is kept.
 */
export async function resolveSilent({ database, now }: Pick<Services, 'database' | 'now'>): Promise<void> {
  const silences = await database.$queryRaw<Silence[]>`
    SELECT a."workspaceId", a."id" AS "agentId", ${now()}::timestamptz - make_interval(mins => a."resolveAfterMinutes") AS "before"
    FROM "Agent" a WHERE a."resolveAfterMinutes" > 0 AND EXISTS (
      SELECT 1 FROM "Conversation" c WHERE c."workspaceId" = a."workspaceId" AND c."agentId" = a."id"
        AND c."status" IN ('active', 'waiting_human') AND c."turnId" IS NULL
        AND c."updatedAt" < ${now()}::timestamptz - make_interval(mins => a."resolveAfterMinutes"))`;
  for (const silence of silences) await inBatches(() => resolve(database, silence));
}

/** A question mark at the end, before quotation marks and references to sources. */
const question = '[?？؟]["\u201d\u2019»)*_[:space:]]*(\\[\\d+\\][[:space:]]*)*$';

const resolve = (database: Services['database'], { workspaceId, agentId, before }: Silence) => database.$executeRaw`
  WITH silent AS MATERIALIZED (
    SELECT "id", "handedOver" FROM "Conversation" WHERE "workspaceId" = ${workspaceId} AND "agentId" = ${agentId}
      AND "status" IN ('active', 'waiting_human') AND "turnId" IS NULL AND "updatedAt" < ${before}
    ORDER BY "updatedAt" LIMIT 500 FOR UPDATE SKIP LOCKED
  ), ended AS MATERIALIZED (
    SELECT silent."id", CASE
      WHEN EXISTS (SELECT 1 FROM "Message" m WHERE m."workspaceId" = ${workspaceId} AND m."conversationId" = silent."id"
        AND m."role" = 'assistant' AND m."createdBy" IS NOT NULL) THEN 'resolved_by_person'
      WHEN silent."handedOver" THEN 'handed_over'
      WHEN said."role" = 'assistant' AND said."content" ~ ${question} THEN 'abandoned'
      ELSE 'resolved_by_agent' END AS "outcome"
    FROM silent LEFT JOIN LATERAL (
      SELECT m."role", m."content" FROM "Message" m WHERE m."workspaceId" = ${workspaceId}
        AND m."conversationId" = silent."id" AND m."role" IN ('user', 'assistant') AND m."content" IS NOT NULL
      ORDER BY m."position" DESC LIMIT 1
    ) said ON true
  )
  UPDATE "Conversation" c SET "status" = 'resolved', "outcome" = ended."outcome"::"ConversationOutcome",
    "stage" = CASE WHEN ended."outcome" IN ('resolved_by_agent', 'resolved_by_person') THEN 'completed' ELSE c."stage" END,
    "takenOverBy" = NULL, "takenOverAt" = NULL
  FROM ended WHERE c."workspaceId" = ${workspaceId} AND c."id" = ended."id"`;
