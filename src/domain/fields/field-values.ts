import { conflict } from '../../core/errors.ts';
import type { Transaction } from '../../database/client.ts';
import type { Field } from '../../database/generated/prisma/client.ts';
import { fold } from '../../text/fold.ts';
import { convertValue } from './convert-value.ts';

type Definition = Pick<Field, 'workspaceId' | 'name' | 'nameKey' | 'type' | 'options'>;
type LeadValues = { id: string; held: Record<string, unknown> };
type Changed = { id: string; drop: string[]; value: unknown };

/** Leads per statement: few enough for the statement timeout. */
const batchSize = 5_000;

/**
 * Moves the values that leads have for a field to its new name and type. Throws 409 `conflict` if leads would then have
 * two values, or if values do not fit the new type, with the count. The caller holds `lockFields`.
 */
export async function carryValues(tx: Transaction, previous: Definition, field: Definition): Promise<void> {
  const isRenamed = previous.name !== field.name;
  const isRetyped = previous.type !== field.type;
  if (!isRenamed && !isRetyped) return;
  const keys = await keysNamed(tx, field.workspaceId, [previous.nameKey, field.nameKey]);
  const kept = isRetyped ? [] : [field.name];
  const carried = keys.filter((key) => !kept.includes(key));
  let ambiguous = 0;
  let unconvertible = 0;
  for await (const batch of leadsWith(tx, field.workspaceId, carried, keys)) {
    const changes = batch.flatMap(({ id, held }): Changed[] => {
      const names = Object.keys(held);
      const value = isRetyped ? convertValue(held[names[0] ?? ''], field) : held[names[0] ?? ''];
      if (names.length > 1) ambiguous++;
      else if (value === undefined) unconvertible++;
      return [{ id, drop: names, value }];
    });
    if (ambiguous === 0 && unconvertible === 0) await writeValues(tx, field, changes);
  }
  const change = isRenamed ? 'name' : 'type';
  if (ambiguous > 0) throw conflict(`${change}: ${leads(ambiguous)} would have two values of "${field.name}".`);
  if (unconvertible > 0)
    throw conflict(
      `type: ${leads(unconvertible)} have a value of "${previous.name}" that is not a valid ${field.type}.`,
    );
  if (isRenamed) await renameOrigins(tx, previous, field);
}

const leads = (count: number) => (count === 1 ? '1 lead' : `${count} leads`);

/** The spellings of these names among the keys of leads, which ignore case and accents. */
async function keysNamed(tx: Transaction, workspaceId: string, nameKeys: string[]): Promise<string[]> {
  // PostgreSQL folds differently: it only preselects keys by their plain letters and digits.
  const rows = await tx.$queryRaw<{ key: string }[]>`
    SELECT key FROM (
      SELECT DISTINCT jsonb_object_keys("custom") AS key FROM "Lead" WHERE "workspaceId" = ${workspaceId}
    ) keys
    WHERE regexp_replace(lower(normalize(key, NFKD) COLLATE "C"), '[^a-z0-9]', '', 'g') = ANY(${nameKeys.map(plain)})`;
  return rows.map(({ key }) => key).filter((key) => nameKeys.includes(fold(key.trim())));
}

const plain = (nameKey: string) => nameKey.replace(/[^a-z0-9]/g, '');

/** The leads with one of the `carried` keys and their values for `keys`, in batches. */
async function* leadsWith(
  tx: Transaction,
  workspaceId: string,
  carried: string[],
  keys: string[],
): AsyncGenerator<LeadValues[]> {
  for (let after = '', more = carried.length > 0; more; ) {
    const batch = await tx.$queryRaw<LeadValues[]>`
      SELECT "id", (SELECT jsonb_object_agg(key, value) FROM jsonb_each("custom") WHERE key = ANY(${keys})) AS held
      FROM "Lead"
      WHERE "workspaceId" = ${workspaceId} AND "id" > ${after} AND jsonb_exists_any("custom", ${carried})
      ORDER BY "id" LIMIT ${batchSize}`;
    yield batch;
    after = batch.at(-1)?.id ?? '';
    more = batch.length === batchSize;
  }
}

async function writeValues(tx: Transaction, { workspaceId, name }: Definition, changes: Changed[]): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(({ id, drop, value }) => ({ id, drop, add: { [name]: value } }));
  await tx.$executeRaw`
    UPDATE "Lead" lead
    SET "custom" = ("custom" - change."drop") || change."add", "updatedAt" = ${new Date()}
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS change ("id" text, "drop" text[], "add" jsonb)
    WHERE lead."workspaceId" = ${workspaceId} AND lead."id" = change."id"`;
}

/** Renames the origins of values; those of an older field of the new name are removed. */
async function renameOrigins(tx: Transaction, { workspaceId, name: from }: Definition, { name: to }: Definition) {
  await tx.$executeRaw`
    DELETE FROM "LeadValue" stale USING "LeadValue" own
    WHERE stale."workspaceId" = ${workspaceId} AND stale."field" = ${to} AND own."workspaceId" = ${workspaceId}
      AND own."leadId" = stale."leadId" AND own."field" = ${from}`;
  await tx.leadValue.updateMany({ where: { workspaceId, field: from }, data: { field: to } });
}
