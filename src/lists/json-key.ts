import { invalid } from '../core/errors.ts';
import { faultOf } from '../core/json-limits.ts';
import { grouped } from '../core/validation.ts';
import { noCondition } from './conditions.ts';

type Value = string | number | boolean;

/**
 * A condition on a key of a JSON column, in the form that an index supports and Prisma cannot express. Never unknown.
 */
export class JsonKey {
  readonly key: string;
  /** Undefined: the key must have a value. */
  readonly value: Value | undefined;
  /** The key's value is a list that must contain `value`. */
  readonly isListed: boolean;

  constructor(key: string, value?: Value, isListed = false) {
    this.key = key;
    this.value = value;
    this.isListed = isListed;
  }
}

/** A filter on a key, as GraphQL passes it. */
export type KeyCondition = { key: string; equals?: unknown; includes?: unknown; exists?: boolean | null };

const maxKeyLength = 200;
const maxTextLength = 500;

/** Converts a filter on a key to conditions that must hold; `isNot` negates one. Throws 400 `invalid_request`. */
export function conditionsOnKey(given: KeyCondition, name: string): { condition: JsonKey; isNot: boolean }[] {
  const { key, equals, includes, exists } = given;
  checkKey(key, `${name}.key`);
  for (const operator of ['equals', 'includes', 'exists'] as const) {
    if (given[operator] === null) throw noCondition(`${name}.${operator}`, 'exists: false');
  }
  const conditions = [];
  if (equals !== undefined)
    conditions.push({ condition: new JsonKey(key, valueOf(equals, `${name}.equals`)), isNot: false });
  if (includes !== undefined) {
    conditions.push({ condition: new JsonKey(key, valueOf(includes, `${name}.includes`), true), isNot: false });
  }
  if (exists != null) conditions.push({ condition: new JsonKey(key), isNot: !exists });
  return conditions;
}

/** Throws 400 `invalid_request` for a key that no JSON object can have, or that is too long. */
export function checkKey(key: string, name: string): void {
  if (key === '' || key.length > maxKeyLength)
    throw invalid(`${name}: must have 1 to ${grouped(maxKeyLength)} characters`);
  requireText(key, name);
}

function valueOf(value: unknown, name: string): Value {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'string') throw invalid(`${name}: must be a string, a number, true or false`);
  if (value.length > maxTextLength) throw invalid(`${name}: must have at most ${grouped(maxTextLength)} characters`);
  requireText(value, name);
  return value;
}

/** jsonb cannot store NUL or lone surrogates. */
function requireText(text: string, name: string): void {
  const fault = faultOf(text);
  if (fault) throw invalid(`${name}: ${fault}`);
}
