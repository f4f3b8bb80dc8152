import type { GraphQLResolveInfo } from 'graphql';
import {
  createOperation,
  deleteOperation,
  operationList,
  type PriceOf,
  updateOperation,
} from '../../src/domain/operations/operations.ts';
import { priceOfSaved } from '../../src/graphql/saved/check.ts';
import { type GroupRows as Found, groupRows } from '../../src/graphql/saved/group-rows.ts';
import { readKnown } from '../../src/graphql/saved/known.ts';
import { inputSchemaOf } from '../../src/graphql/saved/variables.ts';
import { builder } from '../builder.ts';
import { defineList, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, type InputBuilder, rowMutation } from '../shared/mutations.ts';
import { rowById } from '../shared/row-by-id.ts';
import { auditFields } from '../workspace/actors.ts';
import { ResultValue } from '../workspace/result-values.ts';

const GroupRows = builder.objectRef<Found>('GroupRows').implement({
  description:
    'How a page reads the rows of one group, or of the number of a whole list, in the result of a saved operation.',
  fields: (t) => ({
    path: t.exposeString('path', {
      description:
        'The field of the groups in the result, such as `leads.groups`, or of a count in them with a filter, such as `leads.groups.withEmail`, which leads to the rows that it counts; or of the number of a whole list, such as `leads.totalCount`.',
    }),
    keys: t.exposeString('keys', {
      nullable: true,
      description:
        'A document that lists 100 groups after a cursor, `$groupsAfter`, by their keys, with the cursor of each: the one of the group before leads to a group. `null` for a number of a whole list.',
    }),
    rows: t.exposeString('rows', {
      description:
        'A document that reads the rows of the group after a cursor, `$groupsAfter`; of the first if that is `null`. For a number of a whole list, one that reads the list.',
    }),
  }),
});

const maxAgeText =
  'For how many seconds a caller may keep the result of a GET without asking again. `null` if it asks each time, by `ETag`.';
export const SavedOperation = builder.prismaNode('SavedOperation', {
  description: 'A named GraphQL document of the workspace, which programs run by its name.',
  id: { resolve: ({ id }) => id, description: 'ID of the saved operation.' },
  nullable: true,
  findUnique: rowById('SavedOperation'),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name by which it is run. Unique in the workspace.' }),
    document: t.exposeString('document', { description: 'The GraphQL document: one query or mutation.' }),
    documentHash: t.exposeString('documentHash', {
      description: 'SHA-256 of the document, in hex: `sha256:<hash>` also runs it.',
    }),
    description: t.exposeString('description', { description: 'What it is for. May be empty.' }),
    variables: t.expose('variables', {
      type: 'JSONObject',
      description: 'Values for variables that a caller omits.',
    }),
    chart: t.expose('chart', {
      type: 'JSONObject',
      description: 'How a page draws the result, in the format of its author. Empty if it is not drawn.',
    }),
    maxAge: t.exposeInt('maxAge', { nullable: true, description: maxAgeText }),
    cost: t.exposeInt('cost', {
      nullable: true,
      description:
        'The cost when it was saved, as `operationCost` returns it. `null` if variables that it requires have no value in `variables`.',
    }),
    broken: t.string({
      nullable: true,
      description: 'Why the schema no longer accepts the document. `null` if it does.',
      select: { document: true },
      resolve: async ({ document }, _args, _context, { schema }) => (await readKnown(schema, document)).broken,
    }),
    values: t.field({
      type: [ResultValue],
      description: 'What the numbers of its result are, as `resultValues` says. Empty if it is broken.',
      select: { document: true },
      resolve: async ({ document }, _args, _context, { schema }) => (await readKnown(schema, document)).values,
    }),
    inputSchema: t.field({
      type: 'JSONObject',
      nullable: true,
      description:
        'JSON Schema of its variables, with their descriptions and defaults, as `/mcp` offers it. `null` if it is broken.',
      select: { document: true, variables: true },
      resolve: async ({ document, variables }, _args, _context, { schema }) => {
        const { operation } = await readKnown(schema, document);
        return operation && inputSchemaOf(schema, operation, variables as Record<string, unknown>);
      },
    }),
    groupRows: t.field({
      type: [GroupRows],
      description: 'How the rows of its groups and numbers are read. Empty if it has none, or is broken.',
      select: { document: true },
      resolve: async ({ document }, _args, _context, { schema }) =>
        (await readKnown(schema, document)).operation ? groupRows(schema, document) : [],
    }),
    ...auditFields(t),
  }),
});

const OperationList = defineList(SavedOperation, 'SavedOperation', operationList, {
  orders: {
    createdAt: 'When it was created.',
    name: 'The name.',
    updatedAt: 'When it was last updated.',
  },
  filter: {
    names: { type: 'String', description: 'Operations with one of these names.' },
    ids: { type: 'ID', description: 'Operations with one of these IDs.' },
    createdAt: { description: 'Operations created in this time range.' },
    updatedAt: { description: 'Operations last updated in this time range.' },
  },
});

builder.queryFields((t) => ({
  operations: rootConnection(t, OperationList, 'The saved operations of the workspace, newest first.'),
  operation: rootRow(t, OperationList, 'Returns a saved operation by ID.'),
}));

const payload = { field: 'operation', type: SavedOperation, description: 'The created or updated operation.' };
const more = (t: InputBuilder) => ({
  description: t.string({ description: 'What it is for.' }),
  variables: t.field({ type: 'JSONObject', description: 'Values for variables that a caller omits.' }),
  chart: t.field({ type: 'JSONObject', description: 'How a page draws the result, in the format of its author.' }),
  maxAge: t.int({ description: `${maxAgeText} At most a day.` }),
});
const pricedBy =
  ({ schema }: GraphQLResolveInfo): PriceOf =>
  (document, variables, context) =>
    priceOfSaved(schema, document, variables, context);

rowMutation('createOperation', {
  description:
    'Saves a GraphQL document under a name. It is validated and priced first: one that would be refused is not saved.',
  payload,
  input: (t) => ({
    name: t.string({
      required: true,
      description: 'The name by which it is run, which never changes: a letter, then a-z, 0-9 and `-`.',
    }),
    document: t.string({ required: true, description: 'The GraphQL document: one query or mutation.' }),
    ...more(t),
  }),
  permission: 'operations.write',
  resolve: (context, input, info) => createOperation(context, input, pricedBy(info)),
});

rowMutation('updateOperation', {
  updates: { model: 'SavedOperation' },
  description:
    'Updates a saved operation. Omitted fields are unchanged. Programs that run it get the new document at once.',
  payload,
  input: (t) => ({
    id: t.id({ required: true, description: 'ID of the saved operation.' }),
    document: t.string({ description: 'The GraphQL document: one query or mutation.' }),
    ...more(t),
  }),
  permission: 'operations.write',
  resolve: (context, input, info) => updateOperation(context, input, pricedBy(info)),
});

deleteMutation('deleteOperation', {
  description: 'Deletes a saved operation. It can no longer be run.',
  what: 'operation',
  write: deleteOperation,
});
