import { type Excerpt, excerptOf, type Highlight } from '../../src/domain/conversations/excerpts.ts';
import { builder } from '../builder.ts';
import type { Match } from '../shared/ranked.ts';

/** What `search` looks for in conversations and messages. */
export const searchText =
  'Words that one message holds, all of them: in any form, in Portuguese, English and Spanish, with case and accents ' +
  'ignored, also in the words of its recordings and files. Best first where `orderBy` is left out; words of grammar alone ' +
  'find nothing.';

const SearchHighlight = builder.objectRef<Highlight>('SearchHighlight').implement({
  description:
    'A word of an excerpt that was searched for, in any of its forms. Both places count UTF-16 units, as JavaScript does.',
  fields: (t) => ({
    start: t.exposeInt('start', { description: 'Where the word begins in the text, counted from 0.' }),
    end: t.exposeInt('end', { description: 'Where the word has ended: `text.slice(start, end)` is the word.' }),
  }),
});

const SearchExcerpt = builder.objectRef<Excerpt>('SearchExcerpt').implement({
  description: 'A stretch of what was said, as plain text: whoever shows it in a page escapes it.',
  fields: (t) => ({
    text: t.exposeString('text', {
      description: 'At most 300 characters, from the sentence on in which a word that was searched for stands first.',
    }),
    highlights: t.expose('highlights', {
      type: [SearchHighlight],
      description: 'The words in it that were searched for, first to last.',
    }),
  }),
});

export const SearchMatch = builder.objectRef<Match>('SearchMatch').implement({
  description: 'What a row was found by: the message of it that fits the words of the search best.',
  fields: (t) => ({
    rank: t.exposeFloat('score', {
      description: 'How well it fits (BM25), higher is better; it compares within one search only.',
    }),
    messageId: t.exposeID('messageId', { description: 'The message.' }),
    message: t.prismaField({
      type: 'Message',
      nullable: true,
      description: 'The message; null when it was removed meanwhile.',
      resolve: (query, { messageId: id }, _args, { database, viewer: { workspaceId } }) =>
        database.message.findFirst({ ...query, where: { workspaceId, id } }),
    }),
    excerpt: t.field({
      type: SearchExcerpt,
      nullable: true,
      description: 'The words that were found, in their sentence; null when the message was removed meanwhile.',
      resolve: ({ messageId, search }, _args, context) => excerptOf(context, messageId, search),
    }),
  }),
});
