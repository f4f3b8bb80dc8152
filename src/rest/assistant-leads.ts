import { z } from 'zod';
import {
  CreateFieldDocument,
  CreateLeadDocument,
  DeleteLeadDocument,
  EnableFieldDocument,
  ListFieldsDocument,
  UpdateFieldDocument,
} from './generated/graphql.ts';
import { pageOf, pageQuery, search, searchVariables } from './paging.ts';
import { deleted, idOf, removed } from './records/common.ts';
import { field, fieldChange, fieldInput, lead, leadInput, updatedField } from './records/leads.ts';
import { type Route, route } from './route.ts';

const ofLead = z.object({ id: idOf('lead', 'led') });
const ofField = z.object({ id: idOf('custom field', 'fld') });

/** Leads and their custom fields. */
export const leadRoutes: Route[] = [
  route({
    id: 'createLead',
    method: 'post',
    path: '/rest/leads',
    tag: 'Leads',
    summary: 'Create a lead',
    description:
      'Creates a lead. Depending on the workspace settings, it is merged into an existing lead with the same email or phone, which is then returned.',
    document: CreateLeadDocument,
    body: leadInput,
    response: lead,
    errors: ['not_found'],
    variables: ({ body }) => ({ input: body }),
    project: { row: ['createLead', 'lead'] },
  }),
  route({
    id: 'deleteLead',
    method: 'delete',
    path: '/rest/leads/{id}',
    tag: 'Leads',
    summary: 'Delete a lead',
    description: 'Deletes a lead. Its conversations are kept, without a lead.',
    conditional: true,
    document: DeleteLeadDocument,
    params: ofLead,
    response: deleted,
    errors: ['not_found'],
    variables: ({ params }) => params,
    project: ({ deleteLead }) => removed(deleteLead),
  }),
  route({
    id: 'listFields',
    method: 'get',
    path: '/rest/fields',
    tag: 'Fields',
    summary: 'List custom fields',
    description: 'The custom fields of the workspace, newest first, in numbered pages.',
    document: ListFieldsDocument,
    query: pageQuery.extend({ search: search('the name and the description') }),
    response: pageOf(field),
    variables: ({ query }) => searchVariables(query),
    project: { page: ['fields'] },
  }),
  route({
    id: 'createField',
    method: 'post',
    path: '/rest/fields',
    tag: 'Fields',
    summary: 'Create a custom field',
    description: 'Creates a custom field. It is active immediately.',
    document: CreateFieldDocument,
    body: fieldInput,
    response: field,
    errors: ['conflict'],
    variables: ({ body }) => ({ input: body }),
    project: { row: ['createField', 'field'] },
  }),
  route({
    id: 'updateField',
    method: 'put',
    path: '/rest/fields/{id}',
    tag: 'Fields',
    summary: 'Update a custom field',
    description:
      'Updates a custom field. Omitted keys keep their values. Values of leads follow a new name and are converted to a new type. If a value does not fit, or a lead would have two values, returns 409 and changes nothing. Built-in fields cannot be changed. The response has no `fixed`.',
    conditional: true,
    document: UpdateFieldDocument,
    params: ofField,
    body: fieldChange,
    response: updatedField,
    errors: ['not_found', 'conflict'],
    variables: ({ params, body }) => ({ input: { ...body, ...params } }),
    project: { row: ['updateField', 'field'] },
  }),
  route({
    id: 'enableField',
    method: 'put',
    path: '/rest/fields/{id}/enable',
    tag: 'Fields',
    summary: 'Enable a custom field',
    description:
      'Enables a custom field, so that values of leads are validated against it. Returns the updated field. Takes no request body.',
    conditional: true,
    document: EnableFieldDocument,
    params: ofField,
    response: field,
    errors: ['not_found'],
    variables: ({ params }) => params,
    project: { row: ['enableField', 'field'] },
  }),
];
