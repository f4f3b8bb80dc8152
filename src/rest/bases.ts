import { z } from 'zod';
import { limits } from '../core/limits.ts';
import {
  CreateBaseDocument,
  DeleteBaseDocument,
  ListBasesDocument,
  ReadBaseDocument,
  UpdateBaseDocument,
} from './generated/graphql.ts';
import { pageOf, pageQuery, search, searchVariables } from './paging.ts';
import { deleted, idOf, removed } from './records/common.ts';
import { baseDetail, baseInput, baseSummary } from './records/knowledge-bases.ts';
import { type Route, route } from './route.ts';

const ofBase = z.object({ id: idOf('knowledge base', 'bas') });

/** The operations of the knowledge-base host. */
export const baseRoutes: Route[] = [
  route({
    id: 'listBases',
    method: 'get',
    path: '/rest/bases',
    tag: 'Bases',
    summary: 'List knowledge bases',
    description: 'The knowledge bases of the workspace, newest first, in numbered pages.',
    document: ListBasesDocument,
    query: pageQuery.extend({ search: search('the content and the description') }),
    response: pageOf(baseSummary),
    variables: ({ query }) => searchVariables(query),
    project: { page: ['bases'] },
  }),
  route({
    id: 'createBase',
    method: 'post',
    path: '/rest/bases',
    tag: 'Bases',
    summary: 'Create a knowledge base',
    description:
      'Creates a knowledge base with 1 to 50 sources. They are read in the background, so its initial status is `in_progress`.',
    document: CreateBaseDocument,
    body: baseInput,
    bodyLimit: limits.contentBody,
    response: baseSummary,
    variables: ({ body }) => ({ input: body }),
    project: { row: ['createBase', 'base'] },
  }),
  route({
    id: 'readBase',
    method: 'get',
    path: '/rest/bases/{id}',
    tag: 'Bases',
    summary: 'Get a knowledge base',
    description: 'A knowledge base with all its sources.',
    version: ['version'],
    document: ReadBaseDocument,
    params: ofBase,
    response: baseDetail,
    errors: ['not_found'],
    variables: ({ params }) => params,
    project: { row: ['base'] },
  }),
  route({
    id: 'updateBase',
    method: 'put',
    path: '/rest/bases/{id}',
    tag: 'Bases',
    summary: 'Update a knowledge base',
    description:
      'Updates the description, and updates or adds sources. A listed source is updated if the base already has one of the same type and URL, key or content. Sources that are not listed are kept. Old passages remain in use until the new ones are ready.',
    conditional: true,
    document: UpdateBaseDocument,
    params: ofBase,
    body: baseInput,
    bodyLimit: limits.contentBody,
    response: baseSummary,
    errors: ['not_found'],
    variables: ({ params, body }) => ({ input: { ...body, ...params } }),
    project: { row: ['updateBase', 'base'] },
  }),
  route({
    id: 'deleteBase',
    method: 'delete',
    path: '/rest/bases/{id}',
    tag: 'Bases',
    summary: 'Delete a knowledge base',
    description: 'Deletes a knowledge base with its sources and passages.',
    conditional: true,
    document: DeleteBaseDocument,
    params: ofBase,
    response: deleted,
    errors: ['not_found'],
    variables: ({ params }) => params,
    project: ({ deleteBase }) => removed(deleteBase),
  }),
];
