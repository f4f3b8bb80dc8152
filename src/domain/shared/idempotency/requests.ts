import type { Context } from '../../../context.ts';
import type { Idempotency } from '../../../database/generated/prisma/client.ts';
import type { IdempotentRequest, Outcome, StoredAnswer } from '../types.ts';
import { claimedByOther, sealed, storedAnswerOf } from './answers.ts';
import { inProgress, keysOf, nameOf, retentionMs } from './keys.ts';

export type Value = string | string[] | null;

/** Sends a statement with the values of its placeholders, and resolves with the rows that it returns. */
export type Send = (statement: string, values: Value[]) => Promise<unknown[]>;

/** A claimed key. `holder`: the attempt that claimed it before its transaction; null if the claim is within. */
export type Claim = { workspaceId: string; caller: string; key: string; holder: string | null };

/** How a request is carried out, and where the statements about its key are sent. If it throws, nothing is written. */
export type Execution = {
  holder: string | null;
  /** The key may be of before the caller joined the workspace, so that it is looked up first. */
  looksFirst: boolean;
  /** Sends a statement that claims the key. */
  claim: Send;
  /** Sends a statement that looks a key up which could not be claimed. */
  find: Send;
  work: (claim: Claim) => Promise<Outcome>;
  /** Commits what was written, with what `store` sends. */
  commit: (store: (send: Send) => Promise<void>) => Promise<void>;
  /** Undoes what was written where whoever called does not. */
  rollback?: (error: unknown) => Promise<void>;
};

/** Lease of a claim, in milliseconds, and when one that begins now ends. */
export const leaseMs = 15_000;
export const leaseEnd = `statement_timestamp() + ${leaseMs} * interval '1 millisecond'`;

/**
 * Runs a request once: repeated within 24 hours, it gets the same response. Its writes, the response and the key are
 * stored together or not at all, and a failed request leaves its key free. Waits for a transaction that claims the same
 * key. Throws what `execution` throws, 409 `request_in_progress`, 409 `conflict` if the response was erased, 422
 * `idempotency_key_reused`, and 503 if the lease expired and another attempt has claimed the key.
 */
export async function answerOnce(
  context: Context,
  request: IdempotentRequest,
  execution: Execution,
): Promise<StoredAnswer> {
  const { viewer } = context;
  const { key, fingerprint } = request;
  const claim = { workspaceId: viewer.workspaceId, caller: nameOf(viewer), key, holder: execution.holder };
  const existing = await claimOrFind(context, request, claim, execution);
  if (existing) return storedAnswerOf(context, existing, fingerprint);
  try {
    const outcome = await execution.work(claim);
    await execution.commit((send) => store(context, claim, outcome, send));
    return outcome.answer;
  } catch (error) {
    await execution.rollback?.(error);
    throw error;
  }
}

/** How often a key that others claim and release meanwhile is looked up. */
const maxRounds = 10;

/** Claims a key that is new, or has expired, or whose attempt has lost its lease; or else returns its row. */
async function claimOrFind(
  { viewer, now }: Context,
  { fingerprint }: IdempotentRequest,
  own: Claim,
  { looksFirst, claim, find }: Execution,
): Promise<Idempotency | null> {
  const { workspaceId, caller, key, holder } = own;
  const findKey = async (keys: Keys) => {
    const rows = await find(
      `SELECT *, statement_timestamp() AS "time" FROM "Idempotency" WHERE "key" = $1
       AND "workspaceId" IN (${slots(2, keys.workspaceId.in)})
       AND "caller" IN (${slots(2 + keys.workspaceId.in.length, keys.caller.in)}) ORDER BY "expiresAt" DESC`,
      [key, ...keys.workspaceId.in, ...keys.caller.in],
    );
    // Leases go by the database's time.
    return (rows as (Idempotency & { time: Date })[])[0] ?? null;
  };
  let existing = looksFirst ? await findKey(keysOf(viewer)) : null;
  for (let round = 0; round < maxRounds; round += 1) {
    const time = existing?.time ?? new Date(0);
    if (existing && existing.expiresAt > now() && !(existing.aliveUntil && existing.aliveUntil <= time))
      return existing;
    const end = new Date(now().getTime() + retentionMs);
    const claimed = await claim(
      `INSERT INTO "Idempotency" AS "old"
         ("workspaceId", "caller", "key", "fingerprint", "about", "holder", "aliveUntil", "expiresAt")
       VALUES ($1, $2, $3, $4, '{}', $5, ${holder === null ? 'NULL' : leaseEnd}, $6::timestamptz)
       ON CONFLICT ("workspaceId", "caller", "key") DO UPDATE SET "fingerprint" = EXCLUDED."fingerprint",
         "about" = EXCLUDED."about", "holder" = EXCLUDED."holder", "aliveUntil" = EXCLUDED."aliveUntil",
         "expiresAt" = EXCLUDED."expiresAt", "answerCipher" = NULL, "turnId" = NULL
       WHERE "old"."expiresAt" <= $7::timestamptz OR "old"."aliveUntil" <= $8::timestamptz RETURNING "key"`,
      [workspaceId, caller, key, fingerprint, holder, ...[end, now(), time].map((date) => date.toISOString())],
    );
    if (claimed.length > 0) return null;
    // Only this row can have kept it from being claimed.
    existing = await findKey({ workspaceId: { in: [workspaceId] }, caller: { in: [caller] } });
  }
  throw inProgress();
}

type Keys = Pick<ReturnType<typeof keysOf>, 'workspaceId' | 'caller'>;

/** Placeholders of some values, numbered from `first`. */
const slots = (first: number, values: string[]): string => values.map((_, index) => `$${first + index}`).join();

async function store(context: Context, claim: Claim, outcome: Outcome, send: Send): Promise<void> {
  const { answerCipher, about } = sealed(context, outcome);
  const held = whereHeld(claim, 3);
  const rows = await send(
    `UPDATE "Idempotency" SET "answerCipher" = $1, "about" = $2::text[], "holder" = NULL, "aliveUntil" = NULL
     WHERE ${held.text} RETURNING "key"`,
    [answerCipher, about, ...held.values],
  );
  if (rows.length === 0) throw claimedByOther();
}

/** The condition under which a claim still holds its key, with placeholders numbered from `first`. */
export function whereHeld({ workspaceId, caller, key, holder }: Claim, first: number) {
  const [one, two, three, four] = [0, 1, 2, 3].map((index) => `$${first + index}`);
  const own = `"workspaceId" = ${one} AND "caller" = ${two} AND "key" = ${three}`;
  return holder === null
    ? { text: `${own} AND "holder" IS NULL`, values: [workspaceId, caller, key] }
    : { text: `${own} AND "holder" = ${four}`, values: [workspaceId, caller, key, holder] };
}
