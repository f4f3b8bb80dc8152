import { z } from 'zod';
import type { Context } from '../../context.ts';
import { conflict, notFound } from '../../core/errors.ts';
import { type Database, transact } from '../../database/client.ts';
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
  prepare: (context, { id, ...given }: Answer & { id: string }) =>
    change(
      'Conversation',
      { ...rowWithId(context, id), satisfactionAt: null },
      { ...valuesOf(given), ...now(context) },
    ),
  fallback: (context, { id, ...given }) => changeSatisfaction(context.database, context, rowWithId(context, id), given),
});

/** The same for whoever the condition selects a conversation of. */
export async function answerSatisfaction(
  context: Context,
  where: Prisma.ConversationWhereInput,
  given: Answer,
): Promise<void> {
  const data = { ...valuesOf(given), ...now(context) };
  const { count } = await context.database.conversation.updateMany({ where: { ...where, satisfactionAt: null }, data });
  if (count === 0) await changeSatisfaction(context.database, context, where, given);
}

const now = (context: Context) => ({ satisfactionAt: context.now() });

function changeSatisfaction(
  database: Database,
  context: Context,
  where: Prisma.ConversationWhereInput,
  given: Answer,
): Promise<Conversation> {
  const values = valuesOf(given);
  const after = new Date(context.now().getTime() - changeableMs);
  return transact(database, async (tx) => {
    const rows = { ...where, satisfactionAt: { gt: after } };
    const [changed] = await tx.conversation.updateManyAndReturn({ where: rows, data: values });
    if (changed) return changed;
    if (!(await tx.conversation.findFirst({ where, select: { id: true } }))) throw notFound('Conversation');
    throw conflict('The satisfaction was given more than a day ago, and can no longer be changed.');
  });
}
