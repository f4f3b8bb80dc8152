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
import { deleted, removed } from './records/common.ts';
import { baseDetail, baseInput, baseSummary } from './records/knowledge-bases.ts';
import { type Route, route } from './route.ts';

const ofBase = z.object({ id: z.string().meta({ description: 'The id of the base.' }) });

/** The operations of the knowledge-base host. */
export const baseRoutes: Route[] = [
  route({
    id: 'listBases',
    method: 'get',
    path: '/rest/bases',
    tag: 'Bases',
    summary: 'List knowledge bases',
    description: 'The knowledge bases of the workspace, newest first, a numbered page at a time.',
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
    description: 'Makes a knowledge base of 1 to 50 sources. They are read in the background: it begins `in_progress`.',
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
    description: 'A knowledge base with all of its sources.',
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
      'Changes the description, and updates or adds sources. A source that the base has already, of the same type and ' +
      'url, key or content, is updated; those that are not listed stay. Old passages serve until the new ones are in.',
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
    summary: 'Remove a knowledge base',
    description: 'Removes the base from the workspace, with its sources and passages.',
    conditional: true,
    document: DeleteBaseDocument,
    params: ofBase,
    response: deleted,
    errors: ['not_found'],
    variables: ({ params }) => params,
    project: ({ deleteBase }) => removed(deleteBase.base),
  }),
];
