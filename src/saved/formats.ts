import { accepts } from 'hono/accepts';
import { notFound } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { rowsIn } from '../graphql/rows.ts';
import { withErrorStatus } from '../graphql/with-status.ts';
import type { HttpContext } from '../http/log/request-log.ts';

/** The formats of a result, by the ending of an address, with their media types. */
export const formats = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  svg: 'image/svg+xml',
} as const;
export type Format = keyof typeof formats | 'stream';
const byType: Record<string, Format> = {
  [formats.json]: 'json',
  [formats.csv]: 'csv',
  [formats.ndjson]: 'ndjson',
  [formats.svg]: 'svg',
  'text/event-stream': 'stream',
};

/** As much of a table is read of a result at most: nested rows repeat their parents, and reading does not pause. */
export const maxTable = { rows: 50_000, cells: 500_000 };

/**
 * The name and format that an address asks for: by its ending, otherwise by `Accept`. Throws 404 for another ending.
 */
export function requestedFormat(c: HttpContext, file: string): { name: string; format: Format } {
  const [name = '', ending] = file.split('.', 2);
  if (ending !== undefined) {
    if (!Object.hasOwn(formats, ending)) throw notFound(`The path ${c.req.path.slice(0, 200)} was`);
    return { name, format: ending as Format };
  }
  const type = accepts(c, { header: 'Accept', supports: Object.keys(byType), default: formats.json });
  return { name, format: byType[type] ?? 'json' };
}

/** A response of the graph as JSON, with the status of its first error, if it has any. */
export async function asJson(response: Response): Promise<Response> {
  const { errors } = (await response.clone().json()) as { errors?: [] };
  const headers = new Headers([...response.headers]);
  headers.set('content-type', 'application/json; charset=utf-8');
  const json = new Response(response.body, { status: response.status, headers });
  return errors && response.ok ? withErrorStatus(errors, json) : json;
}

/** The same as JSON lines, one for each row of its list. Errors stay one body of JSON. */
export async function asLines(response: Response): Promise<Response> {
  const { data, errors } = (await response.clone().json()) as { data?: unknown; errors?: [] };
  if (errors || !isObject(data)) return asJson(response);
  const text = rowsIn(data)
    .map((row) => `${JSON.stringify(row)}\n`)
    .join('');
  return new Response(text, { headers: { 'content-type': `${formats.ndjson}; charset=utf-8` } });
}
