import { z } from 'zod';
import type { Context } from '../../context.ts';
import { forbidden, invalid, notFound } from '../../core/errors.ts';
import { actorOf } from '../../core/viewer.ts';
import { type Transaction, transact } from '../../database/client.ts';
import type { Field, Prisma } from '../../database/generated/prisma/client.ts';
import { FieldType } from '../../database/generated/prisma/enums.ts';
import { newId } from '../../database/ids.ts';
import { change, insertion, removal } from '../../database/query/write.ts';
import { listRule } from '../../lists/list.ts';
import { containsName, fold, foldName } from '../../text/fold.ts';
import { optionalText, parseInput, requiredText } from '../shared/input.ts';
import { rowWithId, rowWrite } from '../shared/mutations.ts';
import { lockFields } from './custom-values.ts';
import { carryValues } from './field-values.ts';

export const fieldList = listRule({
  model: 'Field',
  permission: 'fields.read',
  analytics: { except: ['name', 'description'] },
  orders: { createdAt: { type: 'date' }, name: { type: 'text' } },
  filters: {
    type: { kind: 'in', column: 'type' },
    active: { kind: 'equals', column: 'active' },
    fixed: { kind: 'equals', column: 'fixed' },
    ids: { kind: 'in', column: 'id' },
    name: { kind: 'text', column: 'name' },
    createdAt: { kind: 'range', column: 'createdAt' },
    updatedAt: { kind: 'range', column: 'updatedAt' },
  },
  search: (term) => ({ searchText: containsName(term) }),
  groups: {
    moments: ['createdAt'],
    by: {
      type: { kind: 'value', column: 'type' },
      active: { kind: 'value', column: 'active' },
      fixed: { kind: 'value', column: 'fixed' },
    },
  },
});

const optionTexts = z
  .array(requiredText())
  .max(500, 'must have at most 500 options')
  .refine((options) => new Set(options).size === options.length, 'must not repeat an option')
  .meta({ uniqueItems: true })
  .nullable()
  .transform((options) => options ?? []);

export const fieldInput = z.object({
  name: requiredText(),
  description: optionalText()
    .transform((text) => text ?? '')
    .optional(),
  type: z.enum(FieldType),
  options: optionTexts.optional(),
});

/** Creates a custom field of leads, which is active at once. Throws 400, and 409 `conflict` if its name is taken. */
export const createField = rowWrite({
  model: 'Field',
  permission: 'fields.write',
  prepare: (context, input: z.input<typeof fieldInput>) => {
    const { description = '', options = [], ...data } = parseInput(fieldInput, input);
    checkOptions({ type: data.type, options });
    const actor = actorOf(context.viewer);
    return insertion('Field', {
      ...data,
      description,
      options,
      id: newId('field'),
      workspaceId: context.viewer.workspaceId,
      nameKey: fold(data.name),
      searchText: foldName(data.name, description),
      createdBy: actor,
      updatedBy: actor,
    });
  },
});

/**
 * Updates the given properties of a field; options are dropped if it is no longer a choice. The values that leads have
 * are moved to a new name and converted to a new type; values keep options that are removed. Throws 400, 403
 * `forbidden` for a built-in field, 404, and 409 if the name is taken or values cannot be moved or converted.
 */
export const updateField = rowWrite({
  model: 'Field',
  permission: 'fields.write',
  prepare: async (context, { id, ...input }: FieldChange) => {
    const data = parseInput(fieldChange, input);
    const old = await context.database.field.findFirst({ where: changeable(context, id) });
    if (!old) return null;
    const { name, type, description } = old;
    const field = { ...old, ...data };
    if (field.name !== name || field.type !== type) return null;
    checkOptions(field);
    // The same name may be written without a change of the values that leads have.
    const searchText = foldName(name, field.description);
    const known = { name, type, description };
    return change(
      'Field',
      { ...changeable(context, id), ...known },
      { ...data, searchText, updatedBy: actorOf(context.viewer) },
    );
  },
  fallback: moveField,
});

const fieldChange = fieldInput.partial();
type FieldChange = z.input<typeof fieldChange> & { id: string };

/** Updates a field, and moves or converts the values that leads have. */
async function moveField(context: Context, { id, ...input }: FieldChange): Promise<Field> {
  const data = parseInput(fieldChange, input);
  const forgetOptions = data.type && !isChoice(data.type) && !data.options;
  const work = async (tx: Transaction) => {
    if (data.name || data.type) await lockFields(tx, context.viewer.workspaceId);
    const old = await tx.field.findFirst({ where: rowWithId(context, id) });
    const field = await changeField(context, tx, id, {
      ...data,
      ...(data.name && { nameKey: fold(data.name) }),
      ...(forgetOptions && { options: [] }),
    });
    checkOptions(field);
    if (old) await carryValues(tx, old, field);
    const searchText = foldName(field.name, field.description);
    if (searchText === field.searchText) return field;
    return changeField(context, tx, id, { searchText });
  };
  return transact(context.database, work, { timeoutMs });
}

/** A field that very many leads have takes a while. */
const timeoutMs = 15 * 60_000;

/** Makes a field validate the values of leads. Idempotent. Throws 403 `forbidden` for a built-in field, and 404. */
export const enableField = switching(true);

/**
 * Stops a field from validating the values of leads. Idempotent. Throws 403 `forbidden` for a built-in field, and 404.
 */
export const disableField = switching(false);

function switching(active: boolean) {
  return rowWrite({
    model: 'Field',
    permission: 'fields.write',
    prepare: (context, { id }: { id: string }) => {
      return change('Field', changeable(context, id), { active, updatedBy: actorOf(context.viewer) });
    },
    fallback: refuseField,
  });
}

/** Deletes a field. Leads keep their values. Throws 403 `forbidden` for a built-in field, and 404. */
export const deleteField = rowWrite({
  model: 'Field',
  permission: 'fields.write',
  prepare: (context, { id }: { id: string }) => {
    return removal('Field', changeable(context, id));
  },
  fallback: refuseField,
});

async function refuseField(context: Context, { id }: { id: string }): Promise<never> {
  throw await untouchable(context, context.database, id);
}

const builtIn = { name: 'text', email: 'email', phone: 'phone', company: 'text', site: 'url' } as const;
const builtInTexts: Record<keyof typeof builtIn, string> = {
  name: 'The name of the person.',
  email: 'The email address of the person.',
  phone: 'The phone number of the person, in E.164 format.',
  company: 'The company of the person.',
  site: 'The website of the person or company.',
};

/** Creates the built-in fields of a workspace, which cannot be changed. Idempotent. */
export async function createBuiltInFields(
  database: Pick<Transaction, 'field'>,
  workspaceId: string,
  actor: string,
): Promise<void> {
  const data = Object.entries(builtInTexts).map(([name, description]) => ({
    id: newId('field'),
    workspaceId,
    name,
    nameKey: fold(name),
    description,
    type: builtIn[name as keyof typeof builtIn],
    fixed: true,
    searchText: foldName(name, description),
    createdBy: actor,
    updatedBy: actor,
  }));
  await database.field.createMany({ data, skipDuplicates: true });
}

type Store = Pick<Transaction, 'field'>;

async function changeField(context: Context, store: Store, id: string, data: Prisma.FieldUpdateInput): Promise<Field> {
  const where = changeable(context, id);
  const updatedBy = actorOf(context.viewer);
  const [field] = await store.field.updateManyAndReturn({ where, data: { ...data, updatedBy } });
  if (!field) throw await untouchable(context, store, id);
  return field;
}

/** Excludes built-in fields. */
const changeable = (context: Context, id: string) => ({ ...rowWithId(context, id), fixed: false });

/** Why a write found no row: it does not exist, or is built in. */
async function untouchable({ viewer }: Context, store: Store, id: string) {
  const count = await store.field.count({ where: { workspaceId: viewer.workspaceId, id } });
  return count === 0 ? notFound('Field') : forbidden('This field is built in and cannot be changed.');
}

function isChoice(type: FieldType): boolean {
  return type === 'choice' || type === 'multi_choice';
}

const choices: FieldType[] = Object.values(FieldType).filter(isChoice);
const others: FieldType[] = Object.values(FieldType).filter((type) => !isChoice(type));

/** JSON Schema of `checkOptions`, as far as a request alone can tell. */
export const optionsRule = [
  {
    required: ['type', 'options'],
    properties: { type: { enum: choices }, options: { type: 'array', items: { type: 'string' }, minItems: 1 } },
  },
  {
    required: ['type'],
    properties: {
      type: { enum: others },
      options: { type: ['array', 'null'], items: { type: 'string' }, maxItems: 0 },
    },
  },
];

function checkOptions({ type, options }: Pick<Field, 'type' | 'options'>): void {
  if (isChoice(type) && options.length === 0)
    throw invalid(`options: a field of type ${type} needs at least one option.`);
  if (!isChoice(type) && options.length > 0)
    throw invalid(`options: a field of type ${type} cannot have options; choice and multi_choice can.`);
}
