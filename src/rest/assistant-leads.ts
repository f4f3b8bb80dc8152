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
import { deleted, removed } from './records/common.ts';
import { field, fieldChange, fieldInput, updatedField } from './records/custom-fields.ts';
import { lead, leadInput } from './records/leads.ts';
import { type Route, route } from './route.ts';

const ofLead = z.object({ id: z.string().meta({ description: 'The id of the lead.' }) });
const ofField = z.object({ id: z.string().meta({ description: 'The id of the field.' }) });

/** Leads and their custom fields. */
export const leadRoutes: Route[] = [
  route({
    id: 'createLead',
    method: 'post',
    path: '/rest/leads',
    tag: 'Leads',
    summary: 'Create a lead',
    description:
      'Stores a contact record. Where the settings of the workspace say so, it is merged into an old one with the same ' +
      'email or phone, and that one is answered.',
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
    summary: 'Remove a lead',
    description: 'Removes the lead with that id. Its conversations stay, without a lead.',
    conditional: true,
    document: DeleteLeadDocument,
    params: ofLead,
    response: deleted,
    errors: ['not_found'],
    variables: ({ params }) => params,
    project: ({ deleteLead }) => removed(deleteLead.lead),
  }),
  route({
    id: 'listFields',
    method: 'get',
    path: '/rest/fields',
    tag: 'Fields',
    summary: 'List custom fields',
    description: 'The custom fields of the workspace, newest first, a numbered page at a time.',
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
    description: 'Defines a custom field. It is active at once.',
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
      'Changes what is given of a custom field; keys left out stay as they were. What leads hold under it goes along with ' +
      'its name and is converted to its type; where a value does not fit, or a lead would hold two, it is 409 and nothing ' +
      'changes. A built-in field cannot be changed. The answer has no `fixed`.',
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
    description: 'Lets values of leads be checked by the field. Answers the field as it is then. Takes no body.',
    conditional: true,
    document: EnableFieldDocument,
    params: ofField,
    response: field,
    errors: ['not_found'],
    variables: ({ params }) => params,
    project: { row: ['enableField', 'field'] },
  }),
];
