import { findPassages } from '../src/domain/passages.ts';
import type { Found, Highlight } from '../src/knowledge/retrieve.ts';
import { builder } from './builder.ts';
import { Passage } from './sources.ts';

const PassageHighlight = builder.objectRef<Highlight>('PassageHighlight').implement({
  description:
    'A word in the text of a passage that it was found by. Both places count UTF-16 units, as JavaScript does.',
  fields: (t) => ({
    start: t.exposeInt('start', { description: 'Where the word begins in the text, counted from 0.' }),
    end: t.exposeInt('end', { description: 'Where the word has ended: `text.slice(start, end)` is the word.' }),
  }),
});

const PassageMatch = builder.prismaObject('Passage', {
  variant: 'PassageMatch',
  description: 'A passage that was found, and why.',
  fields: (t) => ({
    passage: t.variant(Passage, { description: 'The passage.' }),
    score: t.float({
      description: 'How well it matches (BM25). It compares within one answer only.',
      resolve: (row) => (row as unknown as Found).score,
    }),
    highlights: t.field({
      type: [PassageHighlight],
      description:
        'The words of its text that it was found by, first to last; empty where heading or question matched.',
      resolve: (row) => (row as unknown as Found).highlights(),
    }),
  }),
});

const PassageMatches = builder.objectRef<{ found: Found[] }>('PassageMatches').implement({
  description: 'What was found for a question.',
  fields: (t) => ({
    nodes: t.prismaField({
      type: [PassageMatch],
      description: 'The passages, best first; none when nothing is about the question.',
      resolve: async (query, { found }, _args, { database, viewer }) => {
        const where = { workspaceId: viewer.workspaceId, id: { in: found.map(({ id }) => id) } };
        const rows = await database.passage.findMany({ ...query, where });
        const byId = new Map(rows.map((row) => [row.id, row]));
        return found.flatMap(({ id, score, highlights }) => {
          const row = byId.get(id);
          return row ? [{ ...row, score, highlights }] : [];
        });
      },
    }),
  }),
});

builder.queryField('searchPassages', (t) =>
  t.field({
    type: PassageMatches,
    description:
      'What an agent would find in knowledge bases for a question, best first: by the words of the question in any ' +
      'form, in Portuguese, English and Spanish, with case and accents ignored. A passage that holds too little of the ' +
      'question is not found. Where nothing is, words that are unknown count as those that they begin or nearly are.',
    complexity: ({ first }) => ({ field: 10, multiplier: first ?? 10 }),
    args: {
      query: t.arg.string({ required: true, description: 'The question, or words of it.' }),
      baseIds: t.arg.idList({ description: 'The bases to search; when left out, all of the workspace.' }),
      first: t.arg.int({ description: 'At most so many passages, 1 to 100; 10 when left out.' }),
    },
    resolve: async (_root, args, context) => ({ found: await findPassages(context, args) }),
  }),
);
