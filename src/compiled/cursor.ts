import type { PageShape } from '../database/query/pagination.ts';
import { type Model, typeOf } from './models.ts';
import { name } from './sql.ts';
import { unsupported } from './unsupported.ts';

/** The cursor of a row, in quotes: byte for byte what the resolvers write. `seal` is an expression of a text. */
export function cursorOf(model: Model, alias: string, { cursor }: PageShape, seal: string): string {
  const value = jsonOf(model, alias, cursor.sort);
  const key = jsonOf(model, alias, cursor.key);
  return quotedCursor(`'["' || ${seal} || '",' || ${value} || ',' || ${key} || ']'`);
}

/** The cursor of a JSON array: base64url, without padding and line ends, and with two other letters. */
export const quotedCursor = (json: string): string =>
  `'"' || translate(encode(convert_to(${json}, 'UTF8'), 'base64'), E'+/=\\n', '-_') || '"'`;

function jsonOf(model: Model, alias: string, column: string): string {
  const found = model.columns.get(column) ?? unsupported(`an order by ${column}`);
  const subject = `${alias}.${name(column)}`;
  const json = {
    text: found.isName ? `'"' || ${subject} || '"'` : `to_json(${subject})::text`,
    timestamptz: `round(extract(epoch FROM ${subject}) * 1000)::bigint::text`,
    integer: `${subject}::text`,
  }[typeOf(found)];
  if (!json) unsupported(`a cursor with ${column}`);
  return found.nullable ? `coalesce(${json}, 'null')` : json;
}
