import { z } from 'zod';
import { maybeText, text, times, workspaceId } from './common.ts';

const baseStatus = z.enum(['succeeded', 'failed', 'in_progress', 'partial']).default('in_progress').meta({
  description: '`in_progress` while a source is being read; `partial` when some were read and others failed.',
});
const sourceType = z
  .enum(['site', 'page', 'youtube', 'file', 'audio', 'faq'])
  .meta({ description: 'What the source is made of.' });

export const baseSummary = z
  .strictObject({
    id: text('The id of the base, the same in GraphQL.'),
    description: text('What the base is about.'),
    status: baseStatus,
    records: z.number().default(0).meta({ description: 'How many passages are indexed.' }),
    workspaceId,
    createdBy: maybeText('The user or app that made it.'),
    updatedBy: maybeText('The user or app that changed it last.'),
    ...times,
  })
  .meta({ id: 'BaseSummary', description: 'A knowledge base.' });

const maybe = (description: string) => z.string().nullable().default(null).meta({ description });

const fileKeys = {
  url: maybe('An http or https address to fetch it from.'),
  data: z
    .record(z.string(), z.unknown())
    .nullable()
    .default(null)
    .meta({
      description:
        'Its content: `{question, answer}` or `{items: [{question, answer}]}` for an faq, else `{text}`, `{html}` or ' +
        '`{base64}`.',
    }),
  title: maybe('Its title.'),
  img: maybe('A picture of it: an address, or base64.'),
  description: maybe('What it is about.'),
  size: z.number().nullable().default(null).meta({ description: 'Its size in bytes.' }),
  key: maybe('Your own key for it, by which a later update finds it.'),
  ext: maybe('The extension of its name, such as pdf.'),
};
const sourceFile = z.strictObject(fileKeys).meta({ id: 'SourceFile', description: 'What a source is read from.' });
const sourceFileInput = z
  .strictObject(fileKeys)
  .meta({ id: 'SourceFileInput', description: 'What a source is read from. It takes no other keys.' });

export const baseDetail = z
  .strictObject({
    id: text('The id of the base, the same in GraphQL.'),
    status: baseStatus,
    description: text('What the base is about.'),
    sources: z
      .array(
        z
          .strictObject({
            id: text('The id of the source, the same in GraphQL.'),
            baseId: text('The base that it is a part of.'),
            type: sourceType,
            file: sourceFile,
            status: z
              .enum(['in_progress', 'succeeded', 'failed'])
              .meta({ description: 'How far the reading of it is; GraphQL tells the `reason` of a failure.' }),
          })
          .meta({ id: 'Source', description: 'A part of a knowledge base.' }),
      )
      .meta({ description: 'All of its sources, oldest first.' }),
  })
  .meta({ id: 'BaseDetail', description: 'A knowledge base with its sources.' });

export const baseInput = z
  .object({
    description: z.string().meta({ description: 'What the base is about.' }),
    sources: z
      .array(z.object({ type: sourceType, file: sourceFileInput }))
      .meta({ description: 'The sources, 1 to 50. Each needs a url, or data that fits its type.', minItems: 1 }),
  })
  .meta({
    examples: [
      {
        description: 'Opening hours',
        sources: [{ type: 'faq', file: { data: { question: 'When are you open?', answer: 'From 9 to 18.' } } }],
      },
    ],
  });
