import type { Context } from '../../context.ts';
import { failureCode, isDeadlock } from '../../database/errors.ts';
import type { Conversation, Turn } from '../../database/generated/prisma/client.ts';
import { type JointWrite, writeAndRead } from '../../database/query/joint-writes.ts';
import { rowOf, rowsOf } from '../../database/query/json-rows.ts';
import { readJson } from '../../database/query/prepared.ts';
import { quoted, sql } from '../../database/sql.ts';
import { type HistoryRow, historyColumns } from '../attachments/content.ts';
import { mayJoin } from '../conversations/access.ts';
import { keyRow } from '../shared/idempotency/turns.ts';
import { reserveWithoutEvents } from '../workspace/usage.ts';
import type { OpenedTurn, PreparedTurn, TurnAttempt } from './attempt.ts';
import { readCount } from './history.ts';
import { callsCount, pendingIn } from './store.ts';
import { inputOf, isMetered, turnRow } from './stored-input.ts';

/** PostgreSQL's code for a second row with the same key. */
const duplicate = '23505';

/**
 * Opens a turn of the common kind, with one statement after what it reads of its conversation. Resolves to null, and
 * stores nothing, if there is more to do or to refuse, or the conversation has changed since it was read: `openTurn`
 * then opens it, or says why it cannot. Throws 400.
 */
export async function openInOneStatement(
  context: Context,
  prepared: PreparedTurn,
  attempt: TurnAttempt,
): Promise<OpenedTurn | null> {
  const { agent, channel, turn: request, fingerprint } = prepared;
  const { idempotencyKey: key, regenerate, edit, message, chat, id } = request;
  if (attempt.earlier || regenerate || edit || message?.written || (chat && !id)) return null;
  const found = id ? await findOpenable(context, agent.id, id) : null;
  const target = id ? found?.conversation : channel;
  if (!target) return null;
  const pending = pendingIn(found?.recent.toReversed() ?? []);
  const stored = inputOf(context.viewer, { request, target, pending, turnId: attempt.id });
  const { rows, conversation, silent } = stored;
  if (rows.files.length > 0 || prepared.unread?.length) return null;
  const reservation =
    !silent && agent.status !== 'paused' && isMetered(conversation, request) ? reserveWithoutEvents(context) : null;
  const conditions: JointWrite[] = [
    ...(found ? [lockingUnchanged(found.conversation)] : []),
    ...(reservation ? [reservation.write] : []),
  ];
  const turn = turnRow(prepared, attempt, stored, reservation?.month ?? null);
  const claimed = key ? [keyRow(context, { key, fingerprint, turnId: attempt.id })] : [];
  const writes: JointWrite[] = [
    ...conditions,
    ...stored.writes,
    ...claimed.map((row) => ({ model: 'Idempotency' as const, rows: [row] })),
    { model: 'Turn', rows: [turn] },
  ];
  const [first, last] = [conditions.length, writes.length - 1];
  const written = await writeAndRead(context.pool, writes, found ? [first, last] : [last]).catch((error: unknown) => {
    // Another request with this key came first.
    if (key && (failureCode(error) === duplicate || isDeadlock(error))) return null;
    throw error;
  });
  if (!written) return null;
  const [opened] = written<Turn>(last);
  const [updated = conversation] = found ? written<Conversation>(first) : [];
  if (!opened) return null;
  const history = found ? historyWith(found, rows.messages) : rows.messages;
  return { turn: opened, conversation: updated, refusal: null, ...(history && { history }) };
}

type Found = { conversation: Conversation; recent: HistoryRow[] };

const recentColumns = sql([historyColumns.map(quoted).join(', ')]);

/** A conversation that a turn may be opened in, with its last messages, oldest first; null if there is none. */
async function findOpenable({ pool, viewer }: Context, agentId: string, id: string): Promise<Found | null> {
  const { workspaceId } = viewer;
  const row = await readJson<{ conversation: object; recent: object | null }>(
    pool,
    sql`SELECT json_build_object('conversation', to_json(c), 'recent', (
      SELECT json_agg(m ORDER BY m."position") FROM (
        SELECT ${recentColumns} FROM "Message" WHERE "workspaceId" = ${workspaceId} AND "conversationId" = ${id}
          AND "position" >= least(c."summarizedTo", c."messageCount" - ${callsCount}::int)
        ORDER BY "position" DESC LIMIT ${readCount}
      ) AS m
    ))::text
    FROM "Conversation" AS c WHERE c."workspaceId" = ${workspaceId} AND c."id" = ${id}`,
  );
  if (!row) return null;
  const conversation = rowOf<Conversation>(row.conversation);
  const { status, turnId } = conversation;
  const isOpenable =
    status !== 'archived' && !turnId && conversation.agentId === agentId && mayJoin(viewer, conversation);
  return isOpenable ? { conversation, recent: rowsOf<HistoryRow>(row.recent) } : null;
}

/** Locks a conversation in which nothing has changed that the turn depends on. */
const lockingUnchanged = ({ workspaceId, id, messageCount, status }: Conversation): JointWrite => ({
  statement: (condition) => sql`
    SELECT "id" FROM "Conversation" WHERE "workspaceId" = ${workspaceId} AND "id" = ${id} AND "turnId" IS NULL
      AND "messageCount" = ${messageCount} AND "status"::text = ${status} AND ${condition} FOR UPDATE`,
});

/** The messages since the summary, with the new ones; undefined if they are too many, or not all were read. */
function historyWith({ conversation: { summarizedTo }, recent }: Found, added: HistoryRow[]): HistoryRow[] | undefined {
  const since = recent.filter(({ position }) => position >= summarizedTo);
  const isWhole = recent.length < readCount || recent[0]?.position === summarizedTo || since.length < recent.length;
  return isWhole && since.length + added.length <= readCount ? [...since, ...added] : undefined;
}
