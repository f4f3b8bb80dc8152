import {
  defaultFieldResolver,
  type FieldNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { Context } from '../../src/context.ts';
import { notFound } from '../../src/core/errors.ts';
import { isPermission, type Permission, permit } from '../../src/core/permissions.ts';
import { typenameOfId } from '../../src/database/ids.ts';
import { isLimited, isWithinLimits } from '../../src/database/query/row-limits.ts';
import { requireWithin } from '../../src/domain/shared/row-limits.ts';
import { requireAffordable } from '../../src/graphql/price/index.ts';
import { type DocumentReader, readerOfInfo } from '../../src/lists/groups/index.ts';
import type { ListRule } from '../../src/lists/list.ts';

type Field = GraphQLField<unknown, Context>;
type Resolver = GraphQLFieldResolver<unknown, Context>;

/** Permissions of the types that have no list. */
const unlisted: Record<string, Permission> = {
  Credential: 'credentials.read',
  CredentialState: 'credentials.read',
  Settings: 'settings.read',
  Usage: 'usage.read',
  User: 'memberships.read',
};

/**
 * Makes every field that returns rows of a type check the permission to read that type, and limits restricted keys to
 * their rows. Lists check this themselves; a mutation checks all that it returns before it writes.
 */
export function guard(schema: GraphQLSchema): GraphQLSchema {
  const reading = readingPermissions(schema);
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    const parleyRead = reading.get(type.name);
    if (parleyRead) type.extensions = { ...type.extensions, parleyRead };
    const isRoot = roots.includes(type);
    for (const field of Object.values(type.getFields()) as Field[]) {
      if (isRoot) guardRoot(field, reading, { changes: type === roots[1], answers: type !== roots[0] });
      else if (!/(Connection|Edge)$/.test(type.name)) guardField(field, reading, type);
    }
  }
  return schema;
}

/** The permission to read each type: that of its lists. */
function readingPermissions(schema: GraphQLSchema): Map<string, Permission> {
  const reading = new Map<string, Permission>(Object.entries(unlisted).filter(([name]) => schema.getType(name)));
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const { type: shown, extensions } of Object.values(type.getFields())) {
      const rule = extensions.parleyList as ListRule | undefined;
      const connection = getNamedType(shown);
      const row = isObjectType(connection) ? connection.getFields().nodes : undefined;
      if (rule && row) reading.set(getNamedType(row.type).name, rule.permission);
    }
  }
  return reading;
}

function guardField(field: Field, reading: Map<string, Permission>, parent: GraphQLObjectType): void {
  const shown = getNamedType(field.type);
  const types = isObjectType(shown) ? [shown.name] : isAbstractType(shown) ? null : [];
  if (types && !types.some((name) => reading.has(name))) return;
  // The mutation has already checked what its payload reveals, and the list what a group's key does.
  const isAnswer = /(Payload|GroupBy)$/.test(parent.name);
  const { resolve = byName } = field;
  field.resolve = (row, args, context, info) => {
    for (const name of (!isAnswer && types) || []) requireReading(context, reading, name);
    const found = resolve(row, args, context, info);
    // The common case stays synchronous.
    return isAbstractType(shown) || isLimited(context.viewer) ? checked(found, context, info) : found;
  };

  async function checked(pending: unknown, context: Context, info: GraphQLResolveInfo): Promise<unknown> {
    const found = await pending;
    if (isAbstractType(shown) && found && !isAnswer) {
      requireReading(context, reading, String(await shown.resolveType?.(found, context, info, shown)));
    }
    return isLimited(context.viewer) ? limited(field, context, found) : found;
  }
}

function requireReading(context: Context, reading: Map<string, Permission>, name: string): void {
  const permission = reading.get(name);
  if (permission) permit(context, permission);
}

const byName: Resolver = (row, args, context, info) => {
  const value = (row as Record<string, unknown>)[info.fieldName];
  return typeof value === 'function' ? value.call(row, args, context, info) : value;
};

/** Filters the rows of a field by what the viewer's key may access. */
function limited({ type }: Field, { viewer }: Context, found: unknown): unknown {
  const model = getNamedType(type).extensions.pothosPrismaModel;
  const isWithinLimitsOf = (row: unknown) =>
    !row || typeof model !== 'string' || isWithinLimits(model, viewer, row as Record<string, unknown>);
  if (Array.isArray(found)) return found.filter(isWithinLimitsOf);
  if (isWithinLimitsOf(found)) return found;
  if (isNonNullType(type)) throw notFound(String(model));
  return null;
}

function guardRoot(
  field: Field,
  reading: Map<string, Permission>,
  { changes, answers }: { changes: boolean; answers: boolean },
): void {
  const { resolve, subscribe } = field;
  const check = async (args: Record<string, unknown>, context: Context, info: GraphQLResolveInfo) => {
    requireAffordable(context);
    if (answers && context.viewer.key) {
      // What it may not do at all comes before what it may not be shown.
      const { parleyAccess } = field.extensions;
      if (isPermission(parleyAccess)) permit(context, parleyAccess);
      const reader = readerOfInfo(info, context);
      requireAnswer(reader, reading, context, { type: getNamedType(field.type), nodes: info.fieldNodes });
    }
    if (field.name === 'node' || field.name === 'nodes') {
      for (const id of [args.id ?? args.ids].flat()) requireReading(context, reading, typenameOfId(idOf(id)));
    } else if (isLimited(context.viewer) && !field.extensions.parleyList && !limitsRow(field)) {
      const ids = field.args.flatMap(({ name, type }) => idsIn(type, args[name]));
      await requireWithin(context, ids, changes);
    }
  };
  const guarded =
    (act: Resolver): Resolver =>
    async (root, args, context, info) => {
      await check(args, context, info);
      return act(root, args, context, info);
    };
  if (subscribe) field.subscribe = guarded(subscribe);
  else if (resolve) field.resolve = guarded(resolve);
}

/**
 * Throws 403 unless a key may read all that a mutation returns, before it writes: what it writes may have been there
 * before. The ids of the written rows need no scope.
 */
function requireAnswer(
  reader: DocumentReader,
  reading: Map<string, Permission>,
  context: Context,
  { type, nodes }: { type: GraphQLNamedType; nodes: readonly FieldNode[] },
): void {
  if (!isObjectType(type)) return;
  for (const { field, nodes: selected } of reader.fields(type, nodes)) {
    const shown = getNamedType(field.type);
    const { parleyNeeds, parleyReply } = field.extensions as { parleyNeeds?: Permission; parleyReply?: true };
    const isWritten = type.name.endsWith('Payload') && isObjectType(shown);
    const isFree = parleyReply || (isWritten && reader.fields(shown, selected).every((each) => each.name === 'id'));
    if (parleyNeeds) permit(context, parleyNeeds);
    if (!isFree) requireReading(context, reading, shown.name);
    requireAnswer(reader, reading, context, { type: shown, nodes: selected });
  }
}

/** Whether the row that it finds is within the key's limits. */
const limitsRow = ({ extensions: { parleyRow } }: Field): boolean =>
  parleyRow !== undefined && !(parleyRow as { checksIds?: true }).checksIds;

/** The Relay plugin has already decoded the ids of `node` and `nodes`. */
const idOf = (id: unknown): string => (typeof id === 'object' && id ? String((id as { id: unknown }).id) : String(id));

/** Collects the ids in an argument. */
function idsIn(type: GraphQLInputType, value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (isNonNullType(type)) return idsIn(type.ofType, value);
  if (isListType(type)) return [value].flat().flatMap((item) => idsIn(type.ofType, item));
  if (isInputObjectType(type)) {
    const given = value as Record<string, unknown>;
    return Object.values(type.getFields()).flatMap((field) => idsIn(field.type, given[field.name]));
  }
  return type.name === 'ID' ? [String(value)] : [];
}

/** Makes fields check the permission that they declare by `extensions: needs('….read')`. */
export function guardFields(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const permission = field.extensions.parleyNeeds as Permission | undefined;
      if (!permission) continue;
      const { resolve = defaultFieldResolver } = field;
      field.resolve = (row, args, context: Context, info) => {
        permit(context, permission);
        return resolve(row, args, context, info);
      };
    }
  }
  return schema;
}
