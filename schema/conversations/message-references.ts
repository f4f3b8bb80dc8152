import {
  findReferred,
  findReferredSource,
  type Reference,
  type Retrieval,
  referencesOf,
  searchAgain,
} from '../../src/domain/conversations/message-references.ts';
import { complexityOfPage } from '../../src/graphql/price/index.ts';
import { builder } from '../builder.ts';
import { PassageMatches } from '../knowledge/passages.ts';
import { Passage, Source } from '../knowledge/sources.ts';
import { Message, MessageTrace, TracedPassage } from './messages.ts';

const MessageReference = builder.objectRef<Reference>('MessageReference').implement({
  description:
    'The source of a statement in a reply. The mark [1] in the content refers to the first reference, and so on.',
  fields: (t) => ({
    quote: t.exposeString('quote', { description: 'A quote from the passage, ignoring white space.' }),
    title: t.exposeString('title', {
      nullable: true,
      description: 'The title of the source at the time of the reply.',
    }),
    url: t.exposeString('url', { nullable: true, description: 'The URL of the source at the time of the reply.' }),
    place: t.field({
      type: 'JSONObject',
      description: 'The place in the source, as in `place` of a passage.',
      resolve: ({ place }) => place ?? {},
    }),
    passageId: t.exposeID('passageId', {
      description: 'Unique ID of the passage, which no longer exists once its source has been read again.',
    }),
    sourceId: t.exposeID('sourceId', { description: 'The source of the passage.' }),
    baseId: t.exposeID('baseId', { description: 'The knowledge base of the passage.' }),
    passage: t.field({
      type: Passage,
      nullable: true,
      description: 'The passage; `null` if its source has been read again or no longer exists.',
      resolve: (reference, _args, context) => findReferred(context, reference),
    }),
    source: t.field({
      type: Source,
      nullable: true,
      description: 'The source; `null` if it no longer exists.',
      resolve: (reference, _args, context) => findReferredSource(context, reference),
    }),
  }),
});

builder.prismaObjectField(Message, 'references', (t) =>
  t.field({
    type: [MessageReference],
    description: 'The citations of a reply, in the order of their marks.',
    select: { metadata: true },
    resolve: referencesOf,
  }),
);

builder.objectField(TracedPassage, 'passage', (t) =>
  t.field({
    type: Passage,
    nullable: true,
    description: 'The passage; `null` if its source has been read again or no longer exists.',
    resolve: (traced, _args, context) => findReferred(context, traced),
  }),
);

const TracedRetrieval = builder.objectRef<Retrieval>('TracedRetrieval').implement({
  description:
    'The search before a reply. `searchPassages` with the same query, knowledge bases and tags returns the ' +
    'same passages until the knowledge bases change.',
  fields: (t) => ({
    query: t.exposeString('query', {
      description: 'The search query: the last question or, if it finds nothing, combined with the previous one.',
    }),
    baseIds: t.exposeIDList('baseIds', { description: 'The knowledge bases of the agent at the time.' }),
    tags: t.field({
      type: 'JSONObject',
      description: 'Tags a source had to have, those of the agent and of the message; empty for any source.',
      resolve: ({ tags }) => tags ?? {},
    }),
    found: t.field({
      type: PassageMatches,
      nullable: true,
      description: 'The passages this search finds now; `passages` of the trace are those found at the time.',
      extensions: complexityOfPage(10, 10),
      args: { first: t.arg.int({ description: 'The maximum number of passages, 0 to 100. Defaults to 10.' }) },
      resolve: async (retrieval, { first }, context) => ({ found: await searchAgain(context, retrieval, first) }),
    }),
  }),
});

builder.objectField(MessageTrace, 'retrieval', (t) =>
  t.field({
    type: TracedRetrieval,
    nullable: true,
    description: 'What was searched for, and where; `null` for replies from before this was recorded.',
    resolve: ({ retrieval }) => retrieval ?? null,
  }),
);
