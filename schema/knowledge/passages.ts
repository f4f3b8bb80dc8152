import { access } from '../../src/core/permissions.ts';
import { findPassages, type Highlight, type HybridHit } from '../../src/domain/knowledge/passages.ts';
import { complexityOfPage } from '../../src/graphql/price/index.ts';
import { builder } from '../builder.ts';
import { Passage } from './sources.ts';

const PassageHighlight = builder.objectRef<Highlight>('PassageHighlight').implement({
  description:
    'A word that matched in the text of a passage. Both offsets count UTF-16 code units, as JavaScript does.',
  fields: (t) => ({
    start: t.exposeInt('start', { description: 'Start of the word in the text, counted from 0.' }),
    end: t.exposeInt('end', { description: 'End of the word, exclusive: `text.slice(start, end)` is the word.' }),
  }),
});

/** What a row of it was found as. */
const foundOf = (row: unknown): HybridHit => row as HybridHit;

const PassageMatch = builder.prismaObject('Passage', {
  variant: 'PassageMatch',
  description: 'A passage that was found, with its scores.',
  fields: (t) => ({
    passage: t.variant(Passage, { description: 'The passage.' }),
    score: t.float({
      description:
        'How well the passage matches, comparable only within one response. Equal to `wordScore` if passages are ' +
        'searched by words only. With an embedding model, the sum of 1 / (60 + rank) over both lists, by words ' +
        'and by meaning.',
      resolve: (row) => foundOf(row).score,
    }),
    wordScore: t.float({
      nullable: true,
      description: 'How well the passage matches by its words (BM25). `null` if it was not found by them.',
      resolve: (row) => foundOf(row).wordScore,
    }),
    similarity: t.float({
      nullable: true,
      description:
        'How similar the passage is to the question in meaning: the cosine similarity of their vectors, at most ' +
        '1. `null` if it was not found by meaning, or no embedding model is configured.',
      resolve: (row) => foundOf(row).similarity,
    }),
    rerankScore: t.float({
      nullable: true,
      description:
        'How well the passage answers the question by the reranking model (RERANK_MODEL), which decides the order of ' +
        'the best 50. `null` if none is configured, or it failed.',
      resolve: (row) => foundOf(row).rerankScore,
    }),
    highlights: t.field({
      type: [PassageHighlight],
      description:
        'The words of the question in the text, in order. Empty if only the heading, question or meaning matched.',
      resolve: (row) => foundOf(row).highlights(),
    }),
  }),
});

export const PassageMatches = builder.objectRef<{ found: HybridHit[] }>('PassageMatches').implement({
  description: 'The passages found for a question.',
  fields: (t) => ({
    nodes: t.prismaField({
      type: [PassageMatch],
      description: 'The passages, best match first. Empty if nothing is about the question.',
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
      'Returns what an agent would find in knowledge bases for a question, best match first. Matches the words ' +
      'of the question in any form, in English, Portuguese, Spanish, German, French and Italian, and in Arabic, ' +
      'Cyrillic and Greek letters, ignoring case and accents. Passages that contain too little of the question ' +
      'are not returned. If nothing is found, unknown words count as words that start with them or nearly equal ' +
      'them. With an embedding model (EMBEDDING_MODEL), the meaning ' +
      'of the question is matched too, in any words. With a reranking model (RERANK_MODEL), it orders the best 50.',
    args: {
      query: t.arg.string({ required: true, description: 'The question, or words from it.' }),
      baseIds: t.arg.idList({ description: 'IDs of the knowledge bases to search. Defaults to all in the workspace.' }),
      tags: t.arg({
        type: 'JSONObject',
        description: 'Tags that a source must have, all of them. Defaults to any source.',
      }),
      first: t.arg.int({ description: 'Number of passages to return, 0 to 100. Defaults to 10.' }),
    },
    extensions: { ...access('bases.read'), ...complexityOfPage(10, 10) },
    resolve: async (_root, args, context) => ({ found: await findPassages(context, args) }),
  }),
);
