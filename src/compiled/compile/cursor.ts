import type { PageShape } from '../../lists/pagination.ts';
import { type Model, typeOf } from '../../lists/sql/models.ts';
import { name } from '../../lists/sql/sql.ts';
import { unsupported } from '../../lists/unsupported.ts';

/** SQL for a row's quoted cursor, byte for byte as the resolvers write it. `seal` is a text expression. */
export function cursorOf(model: Model, alias: string, { cursor }: PageShape, seal: string): string {
  const value = jsonOf(model, alias, cursor.sort);
  const key = jsonOf(model, alias, cursor.key);
  return quotedCursor(`'["' || ${seal} || '",' || ${value} || ',' || ${key} || ']'`);
}

/**
 * SQL for a cursor from a JSON array: base64url, i.e. base64 without padding and line breaks, and with two other
 * characters.
 */
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
