import { z } from 'zod';
import { ListCopywritingDocument, UpdateDocumentDocument } from './generated/graphql.ts';
import { wholeNumber } from './paging.ts';
import { idOf } from './records/common.ts';
import { copy, document, documentChange } from './records/content.ts';
import { type Route, route } from './route.ts';

const maxAtOnce = 1_000;

/** The operations of the content host. */
export const contentRoutes: Route[] = [
  route({
    id: 'listCopywriting',
    method: 'get',
    path: '/rest/copywriting/{promptId}',
    tag: 'Content',
    summary: 'List the copywriting records of a prompt',
    description: 'The copywriting records of a prompt, newest first. Timestamps are in milliseconds since 1970.',
    document: ListCopywritingDocument,
    params: z.object({ promptId: z.string().meta({ description: 'ID of the prompt.', examples: ['prompt_tagline'] }) }),
    query: z.object({
      limit: wholeNumber({ min: 1, max: 50, preset: 20 }).meta({
        description: 'The maximum number of records to return.',
        examples: [20],
      }),
      cursor: z
        .string()
        .optional()
        .meta({ description: 'The `cursor` of the previous response, unchanged, to continue from there.' }),
      all: z
        .enum(['true', 'false'])
        .default('false')
        .transform((text) => text === 'true')
        .meta({
          type: 'boolean',
          default: false,
          description: `Whether to return all records, up to ${maxAtOnce} per request, regardless of \`limit\`.`,
        }),
    }),
    ignored: ({ all }) => (all === 'true' ? ['limit'] : []),
    response: z.strictObject({
      data: z.array(copy).meta({ description: 'The records, newest first.' }),
      cursor: z.string().meta({ description: 'The cursor for the next request. Empty at the end of the list.' }),
    }),
    variables: ({ params, query: { limit, cursor, all } }) => ({
      ...params,
      first: all ? maxAtOnce : limit,
      after: cursor || null,
    }),
    rephrase: { after: 'cursor: is not a cursor of this prompt; pass the one from the previous response, unchanged' },
    project: ({ copywriting: { nodes, pageInfo } }) => ({
      data: nodes.map(({ createdAt, updatedAt, ...node }) => ({
        ...node,
        createdAt: Date.parse(createdAt),
        updatedAt: Date.parse(updatedAt),
      })),
      cursor: (pageInfo.hasNextPage && pageInfo.endCursor) || '',
    }),
  }),
  route({
    id: 'updateDocument',
    method: 'put',
    path: '/rest/documents/{documentId}',
    tag: 'Content',
    summary: 'Update a document',
    description: 'Updates a document. Omitted keys keep their values. Returns the whole document.',
    conditional: true,
    document: UpdateDocumentDocument,
    params: z.object({ documentId: idOf('document', 'doc') }),
    body: documentChange,
    response: document,
    errors: ['not_found'],
    variables: ({ params, body }) => ({ input: { ...body, id: params.documentId } }),
    project: { row: ['updateDocument', 'document'] },
  }),
];
