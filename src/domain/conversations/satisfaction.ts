import { z } from 'zod';
import type { Context } from '../../context.ts';
import { conflict, notFound } from '../../core/errors.ts';
import { transact } from '../../database/client.ts';
import type { Conversation, Prisma } from '../../database/generated/prisma/client.ts';
import { change } from '../../database/query/write.ts';
import { optionalText, parseInput } from '../shared/input.ts';
import { rowWithId, rowWrite } from '../shared/mutations.ts';

const between = 'must be between 1 and 5';
const answer = z.object({
  satisfaction: z.int(between).min(1, between).max(5, between),
  comment: optionalText(2_000).optional(),
});
type Answer = z.input<typeof answer>;
/** How long the visitor may change their mind, in milliseconds. */
const changeableMs = 24 * 3_600_000;

/** Whether the visitor has not said yet, or may still change it. */
export const mayAnswer = (satisfactionAt: Date | null, now: Date): boolean =>
  satisfactionAt === null || now.getTime() - satisfactionAt.getTime() < changeableMs;

/** The values of an answer. Throws 400. */
function valuesOf({ satisfaction, comment }: Answer) {
  const { comment: satisfactionComment, ...values } = parseInput(answer, { satisfaction, comment });
  return { ...values, ...(satisfactionComment !== undefined && { satisfactionComment }) };
}

/** Stores how satisfied the visitor was. Throws 400, 404, and 409 a day after the first answer. */
export const setSatisfaction = rowWrite({
  model: 'Conversation',
  permission: 'conversations.write',
  // The first answer takes one statement.
  prepare: (context, { id, ...given }: Answer & { id: string }) =>
    change('Conversation', first(rowWithId(context, id)), { ...valuesOf(given), satisfactionAt: context.now() }),
  fallback: (context, { id, ...given }) => answerSatisfaction(context, rowWithId(context, id), given),
});

/** The same for whoever the condition selects a conversation of. */
export function answerSatisfaction(
  context: Context,
  where: Prisma.ConversationWhereInput,
  given: Answer,
): Promise<Conversation> {
  const data = valuesOf(given);
  const now = context.now();
  const lately = { ...where, satisfactionAt: { gt: new Date(now.getTime() - changeableMs) } };
  return transact(context.database, async ({ conversation }) => {
    const [set] = await conversation.updateManyAndReturn({
      where: first(where),
      data: { ...data, satisfactionAt: now },
    });
    const [changed] = set ? [set] : await conversation.updateManyAndReturn({ where: lately, data });
    if (changed) return changed;
    if (!(await conversation.findFirst({ where, select: { id: true } }))) throw notFound('Conversation');
    throw conflict('The satisfaction was given more than a day ago, and can no longer be changed.');
  });
}

/** Those of which it is not known yet. */
const first = <Where extends object>(where: Where) => ({ ...where, satisfactionAt: null });
