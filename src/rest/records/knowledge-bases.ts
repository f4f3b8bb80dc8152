import { z } from 'zod';
import { nullableText, text, times, workspaceId } from './common.ts';

const baseStatus = z.enum(['succeeded', 'failed', 'in_progress', 'partial']).default('in_progress').meta({
  description: '`in_progress` while a source is being read. `partial` if some sources were read and others failed.',
});
const sourceType = z
  .enum(['site', 'page', 'youtube', 'file', 'audio', 'faq'])
  .meta({ description: 'The type of the source.' });

export const baseSummary = z
  .strictObject({
    id: text('Unique ID of the knowledge base, the same in GraphQL.'),
    description: text('What the knowledge base is about.'),
    status: baseStatus,
    records: z.number().default(0).meta({ description: 'The number of indexed passages.' }),
    workspaceId,
    createdBy: nullableText('ID of the user, app or key that created it.'),
    updatedBy: nullableText('ID of the user, app or key that last updated it.'),
    ...times,
  })
  .meta({ id: 'BaseSummary', description: 'A knowledge base.' });

const nullableTextInput = (description: string) => z.string().nullable().default(null).meta({ description });

const fileKeys = {
  url: nullableTextInput('The HTTP or HTTPS URL to fetch the source from.'),
  data: z
    .record(z.string(), z.unknown())
    .nullable()
    .default(null)
    .meta({
      description:
        'The content: `{question, answer}` or `{items: [{question, answer}]}` for an FAQ, else `{text}`, `{html}` or ' +
        '`{base64}`.',
    }),
  title: nullableTextInput('The title of the source.'),
  img: nullableTextInput('A picture of the source, as a URL or in base64.'),
  description: nullableTextInput('What the source is about.'),
  size: z.number().nullable().default(null).meta({ description: 'The size in bytes.' }),
  key: nullableTextInput('Your own key for the source, which identifies it in later updates.'),
  ext: nullableTextInput('The file extension, such as pdf.'),
};
const sourceFile = z.strictObject(fileKeys).meta({ id: 'SourceFile', description: 'The file or data of a source.' });
const sourceFileInput = z
  .strictObject(fileKeys)
  .meta({ id: 'SourceFileInput', description: 'The file or data of a source. No other keys are accepted.' });

export const baseDetail = z
  .strictObject({
    id: text('Unique ID of the knowledge base, the same in GraphQL.'),
    status: baseStatus,
    description: text('What the knowledge base is about.'),
    sources: z
      .array(
        z
          .strictObject({
            id: text('Unique ID of the source, the same in GraphQL.'),
            baseId: text('ID of the knowledge base the source belongs to.'),
            type: sourceType,
            file: sourceFile,
            status: z
              .enum(['in_progress', 'succeeded', 'failed'])
              .meta({ description: 'The status of reading the source. GraphQL has the `reason` for a failure.' }),
          })
          .meta({ id: 'Source', description: 'A source of a knowledge base.' }),
      )
      .meta({ description: 'All sources of the knowledge base, oldest first.' }),
  })
  .meta({ id: 'BaseDetail', description: 'A knowledge base with its sources.' });

export const baseInput = z
  .object({
    description: z.string().meta({ description: 'What the knowledge base is about.' }),
    sources: z
      .array(z.object({ type: sourceType, file: sourceFileInput }))
      .meta({ description: 'The sources, 1 to 50. Each needs a `url`, or `data` that fits its type.', minItems: 1 }),
  })
  .meta({
    examples: [
      {
        description: 'Opening hours',
        sources: [{ type: 'faq', file: { data: { question: 'When are you open?', answer: 'From 9 to 18.' } } }],
      },
    ],
  });
