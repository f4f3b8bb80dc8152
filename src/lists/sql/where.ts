import type { Where } from '../../database/query/delegate.ts';
import { FoldedText } from '../folded.ts';
import { JsonKey } from '../json-key.ts';
import { sortedCharacters } from '../key-order.ts';
import { type KeysetBound, keysetCondition } from '../pagination.ts';
import { OneOf } from '../ranked.ts';
import { unsupported } from '../unsupported.ts';
import type { Binding } from './binding.ts';
import { type Column, type Model, type Models, modelOf, type Relation, relationIn, typeOf } from './models.ts';
import { name } from './sql.ts';

/** A value from another table of the statement. */
export class Reference {
  readonly column: string;

  constructor(column: string) {
    this.column = column;
  }
}

type Scope = { models: Models; binding: Binding };

/** Converts a Prisma condition to SQL: the same data that resolvers pass to Prisma. */
export function condition(scope: Scope, model: Model, alias: string, where: Where): string {
  const parts: string[] = [];
  for (const key of Object.keys(where)) {
    if (where[key] !== undefined) parts.push(part(scope, model, alias, key, where[key]));
  }
  return all(parts, 'AND', 'true');
}

function part(scope: Scope, model: Model, alias: string, key: string, value: unknown): string {
  const each = () =>
    (Array.isArray(value) ? value : [value]).map((where) => condition(scope, model, alias, where as Where));
  if (key === 'AND') return all(each(), 'AND', 'true');
  if (key === 'OR') return all(each(), 'OR', 'false');
  if (key === 'NOT') return `NOT ${all(each(), 'AND', 'true')}`;
  const column = model.columns.get(key);
  if (column) return comparison(scope.binding, column, `${alias}.${name(key)}`, value);
  if (model.keys.has(key)) return condition(scope, model, alias, value as Where);
  return related(scope, model, alias, key, value as Where);
}

/**
 * Compares rows as `(a, b) < (x, y)`, which an index supports at any depth, where Prisma would use four comparisons.
 * Not for nullable columns.
 */
export function rowComparison(scope: Scope, model: Model, alias: string, bound: KeysetBound): string {
  const { operator, value, id } = bound;
  if (bound.ofKey) return keyComparison(scope, model, alias, bound, bound.ofKey);
  const [column, key] = [model.columns.get(bound.column), model.columns.get(bound.key)];
  if (!column || !key || column.nullable || key.nullable) return condition(scope, model, alias, keysetCondition(bound));
  const { binding } = scope;
  const values = `(${binding.value(value, typeOf(column))}, ${binding.value(id, typeOf(key))})`;
  return `(${alias}.${name(column.name)}, ${alias}.${name(key.name)}) ${operators[operator]} ${values}`;
}

/** Compares rows by the value of a key, and those with equal values or without one by id. */
function keyComparison(
  { binding }: Scope,
  model: Model,
  alias: string,
  { operator, column, value, key, id }: KeysetBound,
  { key: ofKey, missingBeyond }: NonNullable<KeysetBound['ofKey']>,
): string {
  const idColumn = model.columns.get(key) ?? unsupported(`an order by ${key}`);
  const held = valueOfKey(binding, `${alias}.${name(column)}`, ofKey);
  const isBeyondId = `${alias}.${name(key)} ${operators[operator]} ${binding.value(id, typeOf(idColumn))}`;
  if (value === null) {
    return missingBeyond ? `(${held} IS NULL AND ${isBeyondId})` : `(${held} IS NOT NULL OR ${isBeyondId})`;
  }
  const entry = `${binding.own(value, 'text')}::jsonb`;
  const missing = missingBeyond ? ` OR ${held} IS NULL` : '';
  return `(${held} ${operators[operator]} ${entry} OR (${held} = ${entry} AND ${isBeyondId})${missing})`;
}

/** SQL for the value of a key that rows are sorted by; null if it is no text, number or boolean. */
export function valueOfKey(binding: Binding, subject: string, key: string): string {
  const value = `${subject} -> ${binding.value(key, 'text')}`;
  const text = `to_jsonb(left(${subject} ->> ${binding.value(key, 'text')}, ${sortedCharacters}))`;
  return `CASE jsonb_typeof(${value}) WHEN 'string' THEN ${text} WHEN 'number' THEN ${value} WHEN 'boolean' THEN ${value} END`;
}

const all = (parts: string[], word: string, none: string): string =>
  parts.length === 0 ? none : parts.length === 1 ? (parts[0] as string) : `(${parts.join(` ${word} `)})`;

function related(scope: Scope, model: Model, alias: string, key: string, value: Where): string {
  const relation = relationIn(model, key);
  const { some, is, ...rest } = value as { some?: Where; is?: Where };
  const where = relation.isList ? some : (is ?? (value as Where));
  if (!where || (relation.isList && Object.keys(rest).length > 0)) unsupported(`the condition on ${model.name}.${key}`);
  const { change } = scope.binding;
  const isWritten = change && ('joinRow' in change ? change.joinRow.model : change.model) === relation.model;
  if (isWritten) unsupported('a condition on what is written');
  const other = modelOf(scope.models, relation.model);
  const inner = scope.binding.alias();
  const on = equalities(scope.binding, relation.on, alias, inner);
  const rows = `${name(other.name)} ${inner}`;
  return `EXISTS (SELECT 1 FROM ${rows} WHERE ${[...on, condition(scope, other, inner, where)].join(' AND ')})`;
}

/**
 * The pairs of columns by which rows of `other` are related to those of `own`. All rows of a statement are of the
 * viewer's workspace, and each table says so by the parameter: Citus does not find the node of one that names the
 * workspace as the column of another.
 */
export const equalities = (binding: Binding, on: Relation['on'], own: string, other: string): string[] =>
  on.map(([mine, theirs]) => {
    const subject = `${other}.${name(theirs)}`;
    const joined = `${subject} = ${own}.${name(mine)}`;
    if (mine !== 'workspaceId' && theirs !== 'workspaceId') return joined;
    const named = `${subject} = ${binding.value(binding.context.viewer.workspaceId, 'text')}`;
    return mine === 'workspaceId' ? named : `${joined} AND ${named}`;
  });

const operators: Record<string, string> = { equals: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' };

function comparison(binding: Binding, column: Column, subject: string, value: unknown): string {
  if (column.isList) unsupported(`a condition on the list ${column.name}`);
  if (value === null) return `${subject} IS NULL`;
  if (value instanceof Reference) return `${subject} = ${value.column}`;
  if (value instanceof OneOf) {
    return `${subject} IN (${value.statement((given, type) => binding.value(given, type))})`;
  }
  if (value instanceof FoldedText) return folded(binding, subject, value);
  if (value instanceof JsonKey) return jsonKeyCondition(binding, subject, value);
  if (typeof value !== 'object' || value instanceof Date) return `${subject} = ${binding.value(value, typeOf(column))}`;
  const parts: string[] = [];
  for (const [operator, operand] of Object.entries(value)) {
    if (operand !== undefined) parts.push(operation(binding, column, subject, operator, operand));
  }
  return all(parts, 'AND', 'true');
}

function operation(binding: Binding, column: Column, subject: string, operator: string, operand: unknown): string {
  const symbol = operators[operator];
  if (operand === null) {
    if (operator === 'not') return `${subject} IS NOT NULL`;
    return operator === 'equals' ? `${subject} IS NULL` : unsupported(`${operator} null`);
  }
  if (symbol) return `${subject} ${symbol} ${binding.value(operand, typeOf(column))}`;
  if (operator === 'in' && Array.isArray(operand) && !operand.includes(null)) {
    return `${subject} = ANY(${binding.value(operand, `${typeOf(column)}[]`)})`;
  }
  if (operator === 'contains' && typeof operand === 'string') {
    return `${subject} LIKE ${binding.value(`%${operand}%`, 'text')}`;
  }
  return unsupported(`the condition ${operator}`);
}

/** Never unknown. The operand is folded once, not per row. */
function folded(binding: Binding, subject: string, { operator, operand }: FoldedText): string {
  const text = `"foldName"(${subject})`;
  const found = () => `(SELECT "foldName"(${binding.value(operand, 'text')}))`;
  switch (operator) {
    case 'equals':
      return `coalesce(${text} = ${found()}, false)`;
    case 'in':
      return `coalesce(${text} = ANY(ARRAY(SELECT "foldName"(t) FROM unnest(${binding.own(operand, 'text[]')}) t)), false)`;
    case 'contains':
      return `coalesce(strpos(${text}, ${found()}) > 0, false)`;
    case 'startsWith':
      return `coalesce(starts_with(${text}, ${found()}), false)`;
  }
}

/** The partial index excludes empty objects, so the condition must say so for it to be used. */
function jsonKeyCondition(binding: Binding, subject: string, { key, value, isListed }: JsonKey): string {
  const isFilled = `${subject} <> '{}'::jsonb`;
  if (value === undefined) {
    const given = binding.own(key, 'text');
    return `(${isFilled} AND ${subject} ? ${given} AND jsonb_typeof(${subject} -> ${given}) <> 'null')`;
  }
  const held = JSON.stringify({ [key]: isListed ? [value] : value });
  return `(${isFilled} AND ${subject} @> ${binding.own(held, 'text')}::jsonb)`;
}
