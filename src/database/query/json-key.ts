import { invalid } from '../../core/errors.ts';

type Value = string | number | boolean;

/** A condition on a key of a JSON column, which Prisma cannot say as an index finds it. Of a row, it is true or false. */
export class JsonKey {
  readonly key: string;
  /** Undefined: that the key has a value. */
  readonly value: Value | undefined;
  /** The value is one of a list. */
  readonly isListed: boolean;

  constructor(key: string, value?: Value, isListed = false) {
    this.key = key;
    this.value = value;
    this.isListed = isListed;
  }
}

/** What a filter says of a key, as GraphQL gives it. */
export type KeyCondition = { key: string; equals?: unknown; includes?: unknown; exists?: boolean | null };

const mostKey = 200;
const mostText = 500;

/** The conditions that must hold, and whether each is that it does not. Throws 400 `invalid_request` naming what is wrong. */
export function conditionsOnKey(
  { key, equals, includes, exists }: KeyCondition,
  name: string,
): { condition: JsonKey; isNot: boolean }[] {
  if (key === '' || key.length > mostKey) throw invalid(`${name}.key: must have 1 to ${mostKey} characters`);
  requireText(key, `${name}.key`);
  const said = [];
  if (equals != null) said.push({ condition: new JsonKey(key, valueOf(equals, `${name}.equals`)), isNot: false });
  if (includes != null) {
    said.push({ condition: new JsonKey(key, valueOf(includes, `${name}.includes`), true), isNot: false });
  }
  if (exists != null) said.push({ condition: new JsonKey(key), isNot: !exists });
  return said;
}

function valueOf(value: unknown, name: string): Value {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'string') throw invalid(`${name}: must be a text, a number, true or false`);
  if (value.length > mostText) throw invalid(`${name}: must have at most ${mostText} characters`);
  requireText(value, name);
  return value;
}

/** JSON of the database has no text with a NUL, and none with half a character. */
function requireText(text: string, name: string): void {
  if (text.includes('\0') || !text.isWellFormed()) throw invalid(`${name}: has a character that cannot be stored`);
}
