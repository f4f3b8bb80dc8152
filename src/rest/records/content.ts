import { z } from 'zod';
import { text, times, workspaceId } from './common.ts';

const milliseconds = (description: string) => z.number().meta({ description, examples: [1785490200000] });

export const copy = z
  .strictObject({
    copyId: text('The id of the record; GraphQL calls it id.'),
    completionId: text('The completion that answered the prompt.'),
    promptId: text('The prompt.'),
    content: text('The text.'),
    workspaceId,
    createdAt: milliseconds('When it was recorded, in milliseconds since 1970 (UTC).'),
    updatedAt: milliseconds('When it was changed last, in milliseconds since 1970 (UTC).'),
  })
  .meta({ id: 'Copywriting', description: 'A stored copywriting result of a prompt.' });

const amount = (description: string) => z.number().meta({ description });
const stats = {
  words: amount('Its words.'),
  paragraphs: amount('Its paragraphs.'),
  sentences: amount('Its sentences.'),
  characters: amount('Its characters.'),
};
const givenStats = {
  words: stats.words.optional(),
  paragraphs: stats.paragraphs.optional(),
  sentences: stats.sentences.optional(),
  characters: stats.characters.optional(),
};

export const document = z
  .strictObject({
    id: text('The id of the document, the same in GraphQL.'),
    name: text('What it is called.'),
    stats: z.strictObject(stats).meta({ description: 'How long it is.' }),
    link: text('Where it is kept or published.'),
    kbs: z.array(z.unknown()).meta({ description: 'The knowledge bases that it was written from.' }),
    content: text('The text.'),
    workspaceId,
    ...times,
  })
  .meta({ id: 'Document', description: 'A text that people write with the help of knowledge bases.' });

export const documentChange = z
  .object({
    name: z.string().optional().meta({ description: 'What it is called.' }),
    stats: z.object(givenStats).optional().meta({ description: 'How long it is; what is left out stays.' }),
    link: z.string().optional().meta({ description: 'Where it is kept or published.' }),
    kbs: z.array(z.unknown()).optional().meta({ description: 'The knowledge bases that it was written from.' }),
    content: z.string().optional().meta({ description: 'The text.' }),
  })
  .meta({ examples: [{ name: 'Launch post', stats: { words: 2 }, content: 'Hello world' }] });
