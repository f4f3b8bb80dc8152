import { escapeLiteral } from 'pg';
import type { Context } from '../../../context.ts';
import type { Idempotency } from '../../../database/generated/prisma/client.ts';
import type { IdempotentRequest, Outcome, StoredAnswer } from '../types.ts';
import { claimedByOther, sealed, storedAnswerOf } from './answers.ts';
import { keysOf, nameOf, retentionMs } from './keys.ts';

/** Sends a statement, and resolves with the rows that it returns. */
export type Send = (statement: string) => Promise<unknown[]>;

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

/** Claims a key that is new, or has expired, or whose attempt has lost its lease; or else returns its row. */
async function claimOrFind(
  { viewer, now }: Context,
  { fingerprint }: IdempotentRequest,
  own: Claim,
  { looksFirst, claim, find }: Execution,
): Promise<Idempotency | null> {
  const { workspaceId, caller } = keysOf(viewer);
  const findKey = async () => {
    const rows = await find(
      `SELECT *, statement_timestamp() AS "time" FROM "Idempotency" WHERE "workspaceId" IN (${list(workspaceId.in)})
       AND "caller" IN (${list(caller.in)}) AND "key" = ${literal(own.key)} ORDER BY "expiresAt" DESC`,
    );
    // Leases go by the database's time.
    return (rows as (Idempotency & { time: Date })[])[0] ?? null;
  };
  for (let existing = looksFirst ? await findKey() : null; ; existing = await findKey()) {
    const time = existing?.time ?? new Date(0);
    if (existing && existing.expiresAt > now() && !(existing.aliveUntil && existing.aliveUntil <= time))
      return existing;
    const values = list([own.workspaceId, own.caller, own.key, fingerprint, [], own.holder]);
    const end = literal(new Date(now().getTime() + retentionMs));
    const claimed = await claim(
      `INSERT INTO "Idempotency" AS "old"
         ("workspaceId", "caller", "key", "fingerprint", "about", "holder", "aliveUntil", "expiresAt")
       VALUES (${values}, ${own.holder === null ? 'NULL' : leaseEnd}, ${end})
       ON CONFLICT ("workspaceId", "caller", "key") DO UPDATE SET "fingerprint" = EXCLUDED."fingerprint",
         "about" = EXCLUDED."about", "holder" = EXCLUDED."holder", "aliveUntil" = EXCLUDED."aliveUntil",
         "expiresAt" = EXCLUDED."expiresAt", "answerCipher" = NULL, "turnId" = NULL
       WHERE "old"."expiresAt" <= ${literal(now())} OR "old"."aliveUntil" <= ${literal(time)} RETURNING "key"`,
    );
    if (claimed.length > 0) return null;
  }
}

async function store(context: Context, claim: Claim, outcome: Outcome, send: Send): Promise<void> {
  const { answerCipher, about } = sealed(context, outcome);
  const rows = await send(
    `UPDATE "Idempotency" SET "answerCipher" = ${literal(answerCipher)}, "about" = ${literal(about)},
     "holder" = NULL, "aliveUntil" = NULL WHERE ${whereHeld(claim)} RETURNING "key"`,
  );
  if (rows.length === 0) throw claimedByOther();
}

/** The condition under which a claim still holds its key. */
export const whereHeld = ({ workspaceId, caller, key, holder }: Claim): string =>
  `"workspaceId" = ${literal(workspaceId)} AND "caller" = ${literal(caller)} AND "key" = ${literal(key)}
   AND "holder" ${holder === null ? 'IS NULL' : `= ${literal(holder)}`}`;

type Value = string | Date | string[] | null;

const list = (values: Value[]): string => values.map(literal).join();

/** A value in SQL. Several statements that are sent as one cannot have parameters. */
function literal(value: Value): string {
  if (value === null) return 'NULL';
  if (Array.isArray(value)) return `ARRAY[${list(value)}]::text[]`;
  return escapeLiteral(typeof value === 'string' ? value : value.toISOString());
}
