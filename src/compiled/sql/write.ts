import { currentSpan, isTracing } from '../../core/tracing.ts';
import { actorSetting, isAudited } from '../../database/audit/rules.ts';
import { currentActor } from '../../database/deadline.ts';
import { jsonNull } from '../../database/json.ts';
import type { Where } from '../../database/query/delegate.ts';
import { isEmpty, type JoinRow, type OnConflict, type Values, type Write } from '../../database/query/write.ts';
import { recordsEvents, traceSetting } from '../../database/settings/event-tables.ts';
import { beyondLatin, FoldedColumns } from '../../lists/folded.ts';
import type { Binding } from '../../lists/sql/binding.ts';
import { type Column, type Model, type Models, modelOf, typeOf } from '../../lists/sql/models.ts';
import { name, quote } from '../../lists/sql/sql.ts';
import { condition } from '../../lists/sql/where.ts';
import { unsupported } from '../../lists/unsupported.ts';

/** Returns the write as queries of a `WITH` clause; `written` returns the row as written. */
export function writeSql(models: Models, binding: Binding, write: Write): string {
  const model = modelOf(models, write.model);
  if ('insert' in write) return `written AS (${insert(models, binding, model, write)})`;
  if ('update' in write) return `written AS (${update(models, binding, model, write)} RETURNING *)`;
  if ('joinRow' in write) return writeJoinRow(models, binding, model, write);
  const { remove, detach } = write;
  const alias = binding.alias();
  const where = condition({ models, binding }, model, alias, remove);
  const freed = detach ? `freed AS (${update(models, binding, modelOf(models, detach.model), detach)}), ` : '';
  return `${freed}written AS (DELETE FROM ${name(model.name)} ${alias} WHERE ${where} RETURNING *)`;
}

/** A further column of the statement, which names the actor for the audit log: its triggers run at the end. */
export function actorSql(binding: Binding): string {
  if (!binding.change || !isRecorded(binding.change)) return '';
  const actor = currentActor();
  return setting(binding, actorSetting, actor ? JSON.stringify(actor) : '');
}

function isRecorded(write: Write): boolean {
  if ('joinRow' in write) return isAudited('insert' in write.joinRow ? 'insert' : 'delete', write.joinRow.model);
  if ('insert' in write) {
    return isAudited('insert', write.model) || (!!write.ifThere?.update && isAudited('update', write.model));
  }
  if ('update' in write) return isAudited('update', write.model);
  return isAudited('delete', write.model) || (!!write.detach && isAudited('update', write.detach.model));
}

/** A further column of the statement, which names the span for its events: their triggers run at the end. */
export const traceSql = (binding: Binding, model: string): string =>
  isTracing() && recordsEvents(model) ? setting(binding, traceSetting, currentSpan()?.traceparent ?? '') : '';

function setting(binding: Binding, name: string, value: string): string {
  // The node of a new row runs its triggers before the coordinator comes to this column.
  if (binding.context.pool.isDistributed && binding.change && inserts(binding.change))
    unsupported('settings of a node');
  return `, set_config('${name}', ${binding.own(value, 'text')}, true)`;
}

const inserts = (write: Write): boolean => 'insert' in ('joinRow' in write ? write.joinRow : write);

function update(
  models: Models,
  binding: Binding,
  model: Model,
  { where, update: values }: { where: Where; update: Values },
): string {
  const alias = binding.alias();
  const found = [condition({ models, binding }, model, alias, where), ...foldable(alias, values)].join(' AND ');
  return `UPDATE ${name(model.name)} ${alias} SET ${assignments(binding, model, values, alias)} WHERE ${found}`;
}

/** Conditions that the database folds the columns that values are made of as this process does. */
function foldable(alias: string, values: Values): string[] {
  const columns = Object.values(values).flatMap((value) =>
    value instanceof FoldedColumns ? value.texts.flatMap((text) => (typeof text === 'string' ? [] : text.column)) : [],
  );
  const texts = columns.map((column) => `coalesce(${alias}.${name(column)}, '')`);
  return texts.length === 0 ? [] : [`${texts.join(' || ')} !~ ${quote(beyondLatin)}`];
}

function insert(
  models: Models,
  binding: Binding,
  model: Model,
  { insert: columnValues, unlessExists, ifThere }: Omit<Extract<Write, { insert: Values }>, 'model'>,
): string {
  const time = new Date();
  const names: string[] = [];
  const values: string[] = [];
  for (const column of model.columns.values()) {
    const value = columnValues[column.name] ?? initial(column, time);
    if (value === undefined) continue;
    names.push(name(column.name));
    values.push(valueOf(binding, column, value));
  }
  const into = `INSERT INTO ${name(model.name)} (${names.join(', ')})`;
  if (!unlessExists)
    return `${into} VALUES (${values.join(', ')})${ifThere ? onConflict(binding, model, ifThere) : ''} RETURNING *`;
  const other = modelOf(models, unlessExists.model);
  const alias = binding.alias();
  const found = `SELECT FROM ${name(other.name)} ${alias} WHERE ${condition({ models, binding }, other, alias, unlessExists.where)}`;
  return `${into} SELECT ${values.join(', ')} WHERE NOT EXISTS (${found}) RETURNING *`;
}

function onConflict(binding: Binding, model: Model, { key, update: values }: OnConflict): string {
  if (!values) return ' ON CONFLICT DO NOTHING';
  return ` ON CONFLICT (${key.map(name).join(', ')}) DO UPDATE SET ${assignments(binding, model, values)}`;
}

/** The row is read as it is; a row of its join table is written. */
function writeJoinRow(
  models: Models,
  binding: Binding,
  model: Model,
  { joinRow: joined, where }: Extract<Write, { joinRow: JoinRow }>,
): string {
  const other = modelOf(models, joined.model);
  const alias = binding.alias();
  const row = `SELECT * FROM ${name(model.name)} ${alias} WHERE ${condition({ models, binding }, model, alias, where)}`;
  if ('insert' in joined) {
    const once = { insert: joined.insert, ifThere: { key: [], update: null } };
    return `joined AS (${insert(models, binding, other, once)}), written AS (${row})`;
  }
  const gone = binding.alias();
  const found = condition({ models, binding }, other, gone, joined.remove);
  const removed = `DELETE FROM ${name(other.name)} ${gone} WHERE ${found} RETURNING 1`;
  return `joined AS (${removed}), written AS (${row} AND EXISTS (SELECT FROM joined))`;
}

/** `alias`: of the row as it was, if values are made of its columns. */
function assignments(binding: Binding, model: Model, columnValues: Values, alias?: string): string {
  if (isEmpty(columnValues)) unsupported('a change that says nothing');
  const all: Values = { ...columnValues };
  for (const { name: key, isTouched } of model.columns.values()) if (isTouched) all[key] ??= new Date();
  return Object.entries(all)
    .flatMap(([key, value]) => {
      if (value === undefined) return [];
      const column = model.columns.get(key) ?? unsupported(`${model.name}.${key}`);
      const sql =
        value instanceof FoldedColumns && alias ? folded(binding, alias, value) : valueOf(binding, column, value);
      return [`${name(key)} = ${sql}`];
    })
    .join(', ');
}

/** Immutable, since a cluster refuses an update by any other function of its columns. */
function folded(binding: Binding, alias: string, { texts }: FoldedColumns): string {
  const parts = texts.map((text) =>
    typeof text === 'string'
      ? `' ' || ${binding.own(text, 'text')}`
      : `coalesce(' ' || "foldName"(nullif(${alias}.${name(text.column)}, '')), '')`,
  );
  return `substr(${parts.join(' || ')}, 2)`;
}

/**
 * Like Prisma, uses the gateway's time for timestamps. Nulls are explicit, so that there are fewer different
 * statements.
 */
function initial(column: Column, time: Date): unknown {
  if (column.isTouched || (column.hasDefault && column.type === 'DateTime')) return time;
  return column.nullable ? null : undefined;
}

function valueOf(binding: Binding, column: Column, value: unknown): string {
  if (value === null || value === jsonNull)
    return binding.own(null, column.type === 'Json' ? 'jsonb' : `${typeOf(column)}${many(column)}`);
  if (column.type === 'Json' && !column.isList) return binding.own(JSON.stringify(value), 'jsonb');
  if (value instanceof Date) return binding.own(value.toISOString(), typeOf(column));
  if (typeof value === 'object' && !(column.isList && Array.isArray(value))) unsupported(`a value of ${column.name}`);
  return binding.own(value, `${typeOf(column)}${many(column)}`);
}

const many = ({ isList }: Column) => (isList ? '[]' : '');
