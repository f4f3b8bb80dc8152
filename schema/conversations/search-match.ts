import { type Excerpt, excerptOf, type Highlight } from '../../src/domain/conversations/excerpts.ts';
import { builder } from '../builder.ts';
import type { Match } from '../shared/ranked.ts';

/** What `search` looks for in conversations and messages. */
export const searchText =
  'Words that one message must all contain, in any form, in English, Portuguese, Spanish, German, French and ' +
  'Italian, and in Arabic, Cyrillic and Greek letters, ignoring case and accents. Includes the text of its ' +
  'recordings and files. Sorted by relevance if `orderBy` is omitted. Function words alone find nothing.';

const SearchHighlight = builder.objectRef<Highlight>('SearchHighlight').implement({
  description:
    'A word of an excerpt that matches the search, in any of its forms. Both positions count UTF-16 code ' +
    'units, as in JavaScript.',
  fields: (t) => ({
    start: t.exposeInt('start', { description: 'The start of the word in the text, counted from 0.' }),
    end: t.exposeInt('end', { description: 'The end of the word, exclusive: `text.slice(start, end)` is the word.' }),
  }),
});

const SearchExcerpt = builder.objectRef<Excerpt>('SearchExcerpt').implement({
  description: 'An excerpt of a message, as plain text: escape it before displaying it in a page.',
  fields: (t) => ({
    text: t.exposeString('text', {
      description: 'At most 300 characters, starting at the sentence with the first matching word.',
    }),
    highlights: t.expose('highlights', {
      type: [SearchHighlight],
      description: 'The matching words in the excerpt, in order.',
    }),
  }),
});

export const SearchMatch = builder.objectRef<Match>('SearchMatch').implement({
  description: 'Why a row matches: its message that best fits the search.',
  fields: (t) => ({
    rank: t.exposeFloat('score', {
      description: 'The relevance score (BM25), higher is better; comparable only within one search.',
    }),
    messageId: t.exposeID('messageId', { description: 'ID of the message.' }),
    message: t.prismaField({
      type: 'Message',
      nullable: true,
      description: 'The message; `null` if it has since been deleted.',
      resolve: (query, { messageId: id }, _args, { database, viewer: { workspaceId } }) =>
        database.message.findFirst({ ...query, where: { workspaceId, id } }),
    }),
    excerpt: t.field({
      type: SearchExcerpt,
      nullable: true,
      description: 'The matching words in their sentence; `null` if the message has since been deleted.',
      resolve: ({ messageId, search }, _args, context) => excerptOf(context, messageId, search),
    }),
  }),
});
