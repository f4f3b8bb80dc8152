import { schema } from '../../schema/index.ts';
import type { Context } from '../../src/context.ts';
import { createDashboard } from '../../src/domain/dashboards/dashboards.ts';
import { whyTileBroken } from '../../src/graphql/saved/tiles.ts';

const page = { last: '12w', timeZone: 'America/Sao_Paulo' };
const boards = [
  {
    ...page,
    name: 'marketing',
    title: 'Marketing',
    description: 'What brings leads: weeks, campaigns and channels.',
    tiles: [
      { operation: 'lead-numbers', title: 'Conversations and leads', chart: { type: 'number' }, width: 12, height: 2 },
      { operation: 'leads-per-week', title: 'Leads per week', chart: { type: 'line', y: 'count' }, width: 8 },
      { operation: 'leads-by-campaign', title: 'Leads by campaign', chart: { type: 'bar' }, width: 4 },
      { operation: 'conversations-by-channel', title: 'Leads by channel', chart: { type: 'bar', y: 'leads' } },
      { operation: 'conversations-by-hour', title: 'When people ask', chart: { type: 'bar' } },
    ],
  },
  {
    ...page,
    name: 'support',
    title: 'Support',
    description: 'How much is asked, how fast it is answered, and what is missing.',
    tiles: [
      { operation: 'conversations-per-week', title: 'Conversations per week', chart: { type: 'line' }, width: 8 },
      { operation: 'conversations-by-status', title: 'By status', chart: { type: 'pie' }, width: 4 },
      { operation: 'reply-times', title: 'Replies, their cost and time', chart: { type: 'table' }, width: 12 },
      {
        operation: 'unanswered-questions',
        title: 'What agents could not answer',
        text: 'The mutation answerGap adds an answer to a knowledge base.',
        chart: { type: 'table' },
        width: 12,
      },
    ],
  },
] as const;

/** Makes two boards of the saved operations. */
export async function makeDashboards(context: Context): Promise<void> {
  for (const board of boards)
    await createDashboard(context, { ...board, tiles: [...board.tiles] }, (tile, operation, of) =>
      whyTileBroken(schema, tile, operation, of),
    );
}
