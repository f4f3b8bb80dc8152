import { z } from 'zod';
import { text, times, workspaceId } from './common.ts';

const milliseconds = (description: string) => z.number().meta({ description, examples: [1785490200000] });

export const copy = z
  .strictObject({
    copyId: text('Unique ID of the record, named `id` in GraphQL.'),
    completionId: text('ID of the completion generated for the prompt.'),
    promptId: text('ID of the prompt.'),
    content: text('The text.'),
    workspaceId,
    createdAt: milliseconds('When the record was created, in milliseconds since 1970 (UTC).'),
    updatedAt: milliseconds('When the record was last updated, in milliseconds since 1970 (UTC).'),
  })
  .meta({ id: 'Copywriting', description: 'A stored copywriting result of a prompt.' });

const amount = (description: string) => z.number().meta({ description });
const stats = {
  words: amount('The number of words.'),
  paragraphs: amount('The number of paragraphs.'),
  sentences: amount('The number of sentences.'),
  characters: amount('The number of characters.'),
};
const givenStats = {
  words: stats.words.optional(),
  paragraphs: stats.paragraphs.optional(),
  sentences: stats.sentences.optional(),
  characters: stats.characters.optional(),
};

export const document = z
  .strictObject({
    id: text('Unique ID of the document, the same in GraphQL.'),
    name: text('The name of the document.'),
    stats: z.strictObject(stats).meta({ description: 'The length of the document.' }),
    link: text('Where the document is stored or published.'),
    kbs: z.array(z.unknown()).meta({ description: 'The knowledge bases the document was written from.' }),
    content: text('The text.'),
    workspaceId,
    ...times,
  })
  .meta({ id: 'Document', description: 'A text that people write with the help of knowledge bases.' });

export const documentChange = z
  .object({
    name: z.string().optional().meta({ description: 'The name of the document.' }),
    stats: z.object(givenStats).optional().meta({ description: 'The length. Omitted keys keep their values.' }),
    link: z.string().optional().meta({ description: 'Where the document is stored or published.' }),
    kbs: z.array(z.unknown()).optional().meta({ description: 'The knowledge bases the document was written from.' }),
    content: z.string().optional().meta({ description: 'The text.' }),
  })
  .meta({ examples: [{ name: 'Launch post', stats: { words: 2 }, content: 'Hello world' }] });
