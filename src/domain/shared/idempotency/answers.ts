import type { Context } from '../../../context.ts';
import { conflict, ParleyError } from '../../../core/errors.ts';
import type { Viewer } from '../../../core/viewer.ts';
import type { Idempotency } from '../../../database/generated/prisma/client.ts';
import type { Outcome, StoredAnswer } from '../types.ts';
import { inProgress, reused } from './keys.ts';

/** A response in its stored form. */
export function sealed({ secrets, viewer }: AnswerReader, { answer, personIds }: Outcome) {
  const stored: Sealed = { as: accessOf(viewer), answer };
  // Erasing the person who received the response must erase the response, too.
  const about = [...new Set([...personIds, ...(viewer.userId ? [viewer.userId] : [])])];
  return { answerCipher: secrets.encrypt(JSON.stringify(stored)), about };
}

/** Returns the stored response. Throws the reason if there is none for this request. */
export function storedAnswerOf(
  { secrets, viewer }: AnswerReader,
  existing: Idempotency,
  fingerprint: string,
): StoredAnswer {
  const { answerCipher, aliveUntil, turnId } = existing;
  const isErased = answerCipher === null && aliveUntil === null && turnId === null;
  if (isErased)
    throw conflict(
      'The request with this Idempotency-Key was carried out, but its response was erased together with the person in it.',
    );
  if (existing.fingerprint !== fingerprint || turnId !== null) throw reused();
  if (answerCipher === null) throw inProgress();
  const { as, answer } = JSON.parse(secrets.decrypt(answerCipher)) as Sealed;
  // An invitee becomes a member by accepting.
  if (as !== accessOf(viewer) && !as.startsWith('invited')) {
    throw new ParleyError(
      'idempotency_key_reused',
      'This Idempotency-Key was used with another role or another kind of token, which may see different data. Use a new key.',
    );
  }
  return answer;
}

/** The viewer who receives the response. */
type AnswerReader = Pick<Context, 'secrets' | 'viewer'>;

/** `as`: the role and kind of credentials that the response was made for. */
type Sealed = { as: string; answer: StoredAnswer };

const accessOf = ({ role, credential }: Viewer): string => `${role} ${credential}`;

/** 503: the lease of this attempt has expired. */
export const claimedByOther = (): ParleyError =>
  new ParleyError(
    'unavailable',
    'The request took too long and was abandoned. Send it again with the same Idempotency-Key.',
    {
      headers: { 'retry-after': '1' },
    },
  );
