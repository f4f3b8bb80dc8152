import { access, needs } from '../../src/core/permissions.ts';
import { value } from '../../src/core/value-kinds.ts';
import type { Source as SourceRow } from '../../src/database/generated/prisma/client.ts';
import {
  type ClosedGaps,
  citationList,
  countCitations,
  findClosedGaps,
  findLostQuestions,
  type LostQuestion,
  type LostQuestions,
  requireSource,
} from '../../src/domain/knowledge/source-impact.ts';
import { complexityOfPage } from '../../src/graphql/price/index.ts';
import { builder } from '../builder.ts';
import { MessageRating } from '../conversations/message-numbers.ts';
import { Message } from '../conversations/messages.ts';
import { defineList, relatedConnection, rootConnection } from '../shared/connections.ts';
import { rowById } from '../shared/row-by-id.ts';
import { Gap } from './gaps.ts';
import { Source } from './sources.ts';

const Citation = builder.prismaNode('Citation', {
  description: 'A reply that cites a source.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the citation.' },
  nullable: true,
  findUnique: rowById('Citation'),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'ID of the workspace that the citation belongs to.' }),
    sourceId: t.exposeID('sourceId', { description: 'ID of the source.' }),
    messageId: t.exposeID('messageId', { description: 'ID of the reply.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the reply was sent.' }),
    source: t.relation('source', { description: 'The source.' }),
    message: t.relation('message', { description: 'The reply.' }),
  }),
});

const CitationList = defineList(Citation, 'Citation', citationList, {
  orders: { createdAt: 'When the reply was sent.' },
  filter: {
    createdAt: { description: 'Replies sent in this time range.' },
    sourceIds: { type: 'ID', description: 'Citations of these sources.' },
    source: { list: 'Source', description: 'Citations of sources that match this filter.' },
    message: { list: 'Message', description: 'Citations by replies that match this filter.' },
  },
  groups: {
    moments: { createdAt: 'When the reply was sent.' },
    by: {
      source: { description: 'The source.' },
      base: { description: 'The knowledge base of the source.' },
      agent: { description: 'The agent that replied.' },
      rating: { type: MessageRating, description: 'The rating of the reply; `null` if it was not rated.' },
    },
    distinct: { messageId: 'The replies.', sourceId: 'The sources.' },
  },
});

builder.queryField('citations', (t) =>
  rootConnection(t, CitationList, 'The citations of sources by replies, newest first: one for each source of a reply.'),
);

builder.prismaObjectField('Source', 'citations', (t) =>
  relatedConnection(t, 'citations', CitationList, { description: 'The replies that cite the source, newest first.' }),
);

const ImpactQuestion = builder.objectRef<LostQuestion>('SourceImpactQuestion').implement({
  description: 'A past question that finds nothing without the source.',
  fields: (t) => ({
    question: t.exposeString('question', { description: 'What was searched for.' }),
    reply: t.expose('reply', { type: Message, description: 'The newest reply to it.' }),
  }),
});

const ImpactQuestions = builder.objectRef<LostQuestions>('SourceImpactQuestions').implement({
  description: 'Past questions that find nothing without the source.',
  fields: (t) => ({
    examined: t.exposeInt('examined', {
      extensions: value('count'),
      description: 'Number of past questions that were searched for again.',
    }),
    nodes: t.expose('nodes', { type: [ImpactQuestion], description: 'Those that find nothing, newest first.' }),
  }),
});

const ImpactGaps = builder.objectRef<ClosedGaps>('SourceImpactGaps').implement({
  description: 'Open gaps that the source closes.',
  fields: (t) => ({
    examined: t.exposeInt('examined', {
      extensions: value('count'),
      description: 'Number of open gaps that were examined.',
    }),
    nodes: t.expose('nodes', { type: [Gap], description: 'Those that the source closes, most often asked first.' }),
  }),
});

const searches = complexityOfPage(10, 100);

const SourceImpact = builder.objectRef<SourceRow>('SourceImpact').implement({
  description: 'What depends on a source: read it before changing or deleting the source.',
  fields: (t) => ({
    source: t.field({
      type: Source,
      description: 'The source; `citations` lists the replies that cite it.',
      resolve: (source) => source,
    }),
    citationCount: t.int({
      extensions: value('count'),
      description: 'Number of replies that cite the source.',
      resolve: (source, _args, context) => countCitations(context, source),
    }),
    questions: t.field({
      type: ImpactQuestions,
      nullable: true,
      description:
        'Past questions that find nothing without the source. Repeats the searches of the newest replies that cite ' +
        'the source, or that were given its passages among the newest 1,000 replies of the workspace, without its ' +
        'passages. Requires the permission `conversations.read`.',
      extensions: { ...searches, ...needs('conversations.read') },
      args: { first: t.arg.int({ description: 'Number of questions to examine, 1 to 200. Defaults to 100.' }) },
      resolve: (source, { first }, context) => findLostQuestions(context, source, first),
    }),
    gaps: t.field({
      type: ImpactGaps,
      nullable: true,
      description:
        'Open gaps that the source closes: those of agents that use it whose last question the embedded model would ' +
        'now answer by quoting it.',
      extensions: searches,
      args: { first: t.arg.int({ description: 'Number of gaps to examine, 1 to 200. Defaults to 100.' }) },
      resolve: (source, { first }, context) => findClosedGaps(context, source, first),
    }),
  }),
});

builder.queryField('sourceImpact', (t) =>
  t.field({
    type: SourceImpact,
    nullable: true,
    description:
      'Returns what depends on a source, before it is changed or deleted: the replies that cite it, past questions ' +
      'that find nothing without it, and open gaps that it closes. Uses no model.',
    args: { sourceId: t.arg.id({ required: true, description: 'ID of the source.' }) },
    extensions: { ...access('bases.write'), parleyExpensive: true },
    resolve: (_root, { sourceId }, context) => requireSource(context, sourceId),
  }),
);
