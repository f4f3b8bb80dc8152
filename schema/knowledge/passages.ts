import { access } from '../../src/core/permissions.ts';
import { findPassages, type Highlight, type HybridFound } from '../../src/domain/knowledge/passages.ts';
import { builder } from '../builder.ts';
import { Passage } from './sources.ts';

const PassageHighlight = builder.objectRef<Highlight>('PassageHighlight').implement({
  description:
    'A word in the text of a passage that it was found by. Both places count UTF-16 units, as JavaScript does.',
  fields: (t) => ({
    start: t.exposeInt('start', { description: 'Where the word begins in the text, counted from 0.' }),
    end: t.exposeInt('end', { description: 'Where the word has ended: `text.slice(start, end)` is the word.' }),
  }),
});

/** What a row of it was found as. */
const foundOf = (row: unknown): HybridFound => row as HybridFound;

const PassageMatch = builder.prismaObject('Passage', {
  variant: 'PassageMatch',
  description: 'A passage that was found, and why.',
  fields: (t) => ({
    passage: t.variant(Passage, { description: 'The passage.' }),
    score: t.float({
      description:
        'How well it matches; it compares within one answer only. `wordScore` where passages are found by their words ' +
        'alone. With an embedding model the sum of 1 / (60 + place) over both lists, by words and by meaning.',
      resolve: (row) => foundOf(row).score,
    }),
    wordScore: t.float({
      nullable: true,
      description: 'How well it matches by its words (BM25); null when it was not found by them.',
      resolve: (row) => foundOf(row).wordScore,
    }),
    similarity: t.float({
      nullable: true,
      description:
        'How alike it is to the question in meaning: the cosine of their vectors, at most 1; null when it was not found ' +
        'by it, or no embedding model is configured.',
      resolve: (row) => foundOf(row).similarity,
    }),
    highlights: t.field({
      type: [PassageHighlight],
      description:
        'The words of the question in its text, first to last; empty where heading, question or meaning alone matched.',
      resolve: (row) => foundOf(row).highlights(),
    }),
  }),
});

export const PassageMatches = builder.objectRef<{ found: HybridFound[] }>('PassageMatches').implement({
  description: 'What was found for a question.',
  fields: (t) => ({
    nodes: t.prismaField({
      type: [PassageMatch],
      description: 'The passages, best first; none when nothing is about the question.',
      resolve: async (query, { found }, _args, { database, viewer }) => {
        const where = { workspaceId: viewer.workspaceId, id: { in: found.map(({ id }) => id) } };
        const rows = await database.passage.findMany({ ...query, where });
        const byId = new Map(rows.map((row) => [row.id, row]));
        return found.flatMap((match) => {
          const row = byId.get(match.id);
          return row ? [{ ...match, ...row }] : [];
        });
      },
    }),
  }),
});

builder.queryField('searchPassages', (t) =>
  t.field({
    type: PassageMatches,
    nullable: true,
    description:
      'What an agent would find in knowledge bases for a question, best first: by the words of the question in any ' +
      'form, in Portuguese, English and Spanish, with case and accents ignored. A passage that holds too little of the ' +
      'question is not found. Where nothing is, words that are unknown count as those that they begin or nearly are. ' +
      'With an embedding model (EMBEDDING_MODEL) also by what the question means, in any words.',
    complexity: ({ first }) => ({ field: 10, multiplier: Math.max(first ?? 10, 1) }),
    args: {
      query: t.arg.string({ required: true, description: 'The question, or words of it.' }),
      baseIds: t.arg.idList({ description: 'The bases to search; when left out, all of the workspace.' }),
      tags: t.arg({
        type: 'JSONObject',
        description: 'The tags that a source must have, all of them; any source when left out.',
      }),
      first: t.arg.int({ description: 'At most so many passages, 0 to 100; 10 when left out.' }),
    },
    extensions: access('bases.read'),
    resolve: async (_root, args, context) => ({ found: await findPassages(context, args) }),
  }),
);
