import { z } from 'zod';

/** The id of a row in examples, by its kind's prefix. The REST reference puts a real id in its place. */
export const exampleId = (prefix: string): string => `${prefix}_01m7yqpxrm9pwast1wky2nypzh`;

/** The id of a row in a path or a query. */
export const idOf = (what: string, prefix: string) =>
  z.string().meta({ description: `ID of the ${what}.`, examples: [exampleId(prefix)] });

/** A required string. */
export const text = (description: string) => z.string().meta({ description });

/** A string or null. */
export const nullableText = (description: string) => z.string().nullable().meta({ description });

/** An object with arbitrary keys. */
export const openObject = (description: string) => z.record(z.string(), z.unknown()).meta({ description });

/** The same in a request, where it may be null or omitted. */
export const givenObject = (description: string) => z.record(z.string(), z.unknown()).nullish().meta({ description });

export const workspaceId = text('ID of the workspace it belongs to.');
export const createdBy = text('ID of the user, app or key that created it.');
export const updatedBy = text('ID of the user, app or key that last updated it.');

export const times = {
  createdAt: z.iso
    .datetime()
    .meta({ description: 'When it was created, in UTC.', examples: ['2026-07-31T09:30:00.000Z'] }),
  updatedAt: z.iso.datetime().meta({ description: 'When it was last updated, in UTC.' }),
};

/** The response to a deletion. */
export const deleted = z
  .strictObject({
    id: text('ID of the deleted object.'),
    deleted: z.literal(true).meta({ description: 'Always true: the object was deleted.' }),
  })
  .meta({ id: 'Deleted', description: 'A deleted object.' });

export const removed = ({ deletedId: id }: { deletedId: string }) => ({ id, deleted: true as const });

/** UTM parameters. */
export const utmKeys = {
  source: z
    .string()
    .nullish()
    .meta({ description: 'The site or mailing list that referred the visitor.', examples: ['newsletter'] }),
  medium: z
    .string()
    .nullish()
    .meta({ description: 'The kind of link, such as email or cpc.', examples: ['email'] }),
  campaign: z.string().nullish().meta({ description: 'The campaign.' }),
  content: z.string().nullish().meta({ description: 'Identifies one of several links.' }),
  term: z.string().nullish().meta({ description: 'The search term.' }),
};

/** The header that makes a write safe to retry. */
export const idempotencyHeaders = z.object({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .regex(/\S/)
    .optional()
    .meta({
      description: 'For 24 hours, a retry with the same key and the same request returns the same response.',
      examples: ['2f1c9d1e-7f0e-4c58-9a53-6f3a1f0f5b1d'],
    }),
});
