import type { InputFieldMap, InputShapeFromFields } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../src/context.ts';
import { capitalized } from '../../src/core/capitals.ts';
import { type Access, access } from '../../src/core/permissions.ts';
import { inSavepoint } from '../../src/database/client.ts';
import type { RowWrite } from '../../src/domain/shared/mutations.ts';
import { modelsOf } from '../../src/lists/sql/models.ts';
import { builder } from '../builder.ts';
import { fieldOf } from './any-field.ts';
import { datamodel } from './datamodel.ts';
import { changeExpected, expectedUpdatedAt, type Updated } from './updates.ts';

/** The builder of an input's fields. */
export type InputBuilder = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0];
type RowMutation<Fields extends InputFieldMap> = {
  description: string;
  /** The field of the payload that has the row. */
  payload: { field: string; type: unknown; description: string };
  /** The result is complete when the mutation has run: no field reads more later, so none can fail. */
  complete?: true;
  /** Uses a model, another server or the source reader: under load, it is among the first to be refused. */
  expensive?: true;
  /** Waits for something outside the database: with an Idempotency-Key it must be the only field of its operation. */
  waits?: true;
  input: (t: InputBuilder) => Fields;
  /**
   * The row that it changes, if callers may pass `expectedUpdatedAt`. By default that of `write` whose `id` the input
   * takes, if it has an `updatedAt`; null if the `id` is that of a new row.
   */
  updates?: Updated | null;
  /** The row is deleted: the payload has its id, and no object that a client's cache would take for the row. */
  deletes?: true;
  /** Additional payload fields: the resolver then returns `{row}` together with their values. */
  more?: Record<string, { type: unknown; description: string }>;
} & (
  | {
      /** The permission, which the operation itself checks. */
      permission: Access;
      resolve: (context: Context, input: InputShapeFromFields<Fields>, info: GraphQLResolveInfo) => unknown;
      write?: undefined;
    }
  /** An operation that writes the row by one statement, which a compiled query can also return the response from. */
  | { write: RowWrite; permission?: undefined; resolve?: undefined }
);

type Given = { expectedUpdatedAt?: Date | null };
type Change = (context: Context, input: object, info: GraphQLResolveInfo) => Promise<unknown>;

/** Declares a mutation with one input object and a payload with one row: `createLead(input: {…}) { lead { … } }`. */
export function rowMutation<Fields extends InputFieldMap>(name: string, options: RowMutation<Fields>): void {
  const { field, type, description } = options.payload;
  const change = (options.write ?? options.resolve) as Change;
  const { updates = rowOf(options.write) } = options;
  const inputFields = (t: InputBuilder): InputFieldMap => {
    const fields = options.input(t);
    const takesCondition = options.updates || (updates && 'id' in fields);
    return {
      ...fields,
      ...(takesCondition && { expectedUpdatedAt: t.field({ type: 'DateTime', description: expectedUpdatedAt }) }),
    };
  };
  builder.relayMutationField(
    name,
    {
      description: `Input of ${name}.`,
      inputFields,
    },
    {
      nullable: true,
      description: options.description,
      extensions: {
        ...access(options.write?.permission ?? (options.permission as Access)),
        parleyWrite: options.write,
        parleyWaits: options.waits,
        parleyExpensive: options.expensive,
      },
      resolve: async (
        _root: unknown,
        { input: given }: { input: Given },
        context: Context,
        info: GraphQLResolveInfo,
      ) => {
        const { expectedUpdatedAt: expected, ...input } = given;
        const changed = await (updates && expected
          ? changeExpected(updates, { context, input, expected, info }, (inside) => change(inside, input, info))
          : inSavepoint(context.database, () => change(context, input, info)));
        return options.more ? changed : { row: changed };
      },
    },
    {
      name: `${capitalized(name)}Payload`,
      description: `Payload of ${name}.`,
      outputFields: (t) => {
        const make = fieldOf(t);
        return {
          ...(options.deletes && {
            deletedId: make({
              type: 'ID',
              description: `ID of the ${wordsOf(field)} that was deleted.`,
              extensions: { pothosExposedField: 'id' },
              resolve: ({ row }: { row: { id: string } }) => row.id,
            }),
          }),
          [field]: make({
            type,
            nullable: !options.complete,
            description,
            ...(options.deletes && {
              deprecationReason: 'Use `deletedId`: caches take `id` for that of the row itself.',
            }),
            extensions: { parleySameRow: true },
            resolve: ({ row }: { row: unknown }) => row,
          }),
          ...Object.fromEntries(
            Object.entries(options.more ?? {}).map(([name, more]) => [
              name,
              make({ ...more, resolve: (made: Record<string, unknown>) => made[name] }),
            ]),
          ),
        };
      },
    },
  );
}

/** The row that a write changes, if it has the time of its last change. */
const rowOf = (write: RowWrite | undefined): Updated | null =>
  write && modelsOf(datamodel).get(write.model)?.columns.has('updatedAt') ? { model: write.model } : null;

const Deleted = builder.objectRef<{ id: string }>('Deleted').implement({
  description: 'The row that was deleted.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'ID of the deleted row.' }),
    deleted: t.boolean({
      description: 'Always `true`: the row no longer exists.',
      extensions: { parleyColumns: [] },
      resolve: () => true,
    }),
  }),
});

/** Deletes a row; resolves to the id that the payload shows, if it is not the input's. */
type Remove = (context: Context, id: string) => Promise<string> | Promise<void>;
type DeleteMutation = { description: string; what: string; updates?: Updated } & (
  | { permission: Access; remove: Remove; write?: undefined }
  /** A deletion by one statement. */
  | { write: RowWrite; permission?: undefined; remove?: undefined }
);

/** Declares a mutation that deletes one row by id: `deleteLead(input: {id}) { deletedId }`. */
export function deleteMutation(name: string, given: DeleteMutation): void {
  const { description, what, updates } = given;
  const options = {
    description,
    ...(updates && { updates }),
    complete: true as const,
    deletes: true as const,
    payload: { field: what, type: Deleted, description: 'The row that was deleted.' },
    input: (t: InputBuilder) => ({
      id: t.id({ required: true, description: `ID of the ${wordsOf(what)} to delete.` }),
    }),
  };
  if (given.write) return rowMutation(name, { ...options, write: given.write });
  return rowMutation(name, {
    ...options,
    permission: given.permission,
    resolve: async (context, { id }) => {
      const shown = await given.remove(context, id);
      return { id: shown ?? id };
    },
  });
}

/** `evaluation case` for `evaluationCase`. */
const wordsOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
