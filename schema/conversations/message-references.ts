import {
  findReferred,
  findReferredSource,
  type Reference,
  type Retrieval,
  referencesOf,
  searchAgain,
} from '../../src/domain/conversations/message-references.ts';
import { builder } from '../builder.ts';
import { PassageMatches } from '../knowledge/passages.ts';
import { Passage, Source } from '../knowledge/sources.ts';
import { Message, MessageTrace, TracedPassage } from './messages.ts';

const MessageReference = builder.objectRef<Reference>('MessageReference').implement({
  description: 'Where a statement of a reply comes from: the mark [1] in its content is the first one, and so on.',
  fields: (t) => ({
    quote: t.exposeString('quote', { description: 'Words that stand in the passage, white space aside.' }),
    title: t.exposeString('title', { nullable: true, description: 'The title of its source, as it was then.' }),
    url: t.exposeString('url', { nullable: true, description: 'The address of its source, as it was then.' }),
    place: t.field({
      type: 'JSONObject',
      description: 'Where it stands in its source, as `place` of a passage.',
      resolve: ({ place }) => place ?? {},
    }),
    passageId: t.exposeID('passageId', { description: 'The passage; it is gone when its source was read anew.' }),
    sourceId: t.exposeID('sourceId', { description: 'The source that it is of.' }),
    baseId: t.exposeID('baseId', { description: 'The base that it is of.' }),
    passage: t.field({
      type: Passage,
      nullable: true,
      description: 'The passage; null when its source was read anew, or is gone.',
      resolve: (reference, _args, context) => findReferred(context, reference),
    }),
    source: t.field({
      type: Source,
      nullable: true,
      description: 'The source; null when it is gone.',
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
    description: 'The passage; null when its source was read anew, or is gone.',
    resolve: (traced, _args, context) => findReferred(context, traced),
  }),
);

const TracedRetrieval = builder.objectRef<Retrieval>('TracedRetrieval').implement({
  description:
    'The search before a reply. `searchPassages` with this query, these bases and tags finds the same as long as the bases are ' +
    'the same.',
  fields: (t) => ({
    query: t.exposeString('query', {
      description: 'What was searched for: the last question; where that finds nothing, with the one before it.',
    }),
    baseIds: t.exposeIDList('baseIds', { description: 'The bases that the agent had.' }),
    tags: t.field({
      type: 'JSONObject',
      description: 'The tags that a source had to have, those of the agent and of the message; empty for any source.',
      resolve: ({ tags }) => tags ?? {},
    }),
    found: t.field({
      type: PassageMatches,
      nullable: true,
      description: 'What it finds now; `passages` of the trace are what it found then.',
      complexity: ({ first }) => ({ field: 10, multiplier: Math.max(first ?? 10, 1) }),
      args: { first: t.arg.int({ description: 'At most so many passages, 0 to 100; 10 when left out.' }) },
      resolve: async (retrieval, { first }, context) => ({ found: await searchAgain(context, retrieval, first) }),
    }),
  }),
});

builder.objectField(MessageTrace, 'retrieval', (t) =>
  t.field({
    type: TracedRetrieval,
    nullable: true,
    description: 'What was searched for, and where; null for replies of before it was noted.',
    resolve: ({ retrieval }) => retrieval ?? null,
  }),
);
