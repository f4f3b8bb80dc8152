import Papa from 'papaparse';
import type { Context } from '../context.ts';
import { invalid, statusOf } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { recordEvent } from '../domain/shared/audit-events.ts';
import { cellText } from '../http/pages/panels/csv.ts';
import { listNames, rowsIn } from './rows.ts';
import { type Failed, withErrorStatus } from './with-status.ts';

type Row = Record<string, unknown>;

const mediaType = 'text/csv';

/** Whether the caller prefers CSV over JSON, by the weights (`;q=`) of its media types. */
export function isPreferred(accept: string): boolean {
  const ranges = accept.toLowerCase().split(',');
  const [first = ''] = ranges.map((range) => range.trim()).sort((a, b) => weightOf(b) - weightOf(a));
  return first.split(';', 1)[0]?.trim() === mediaType;
}

const weightOf = (range: string): number => Number(/;\s*q=([\d.]+)/.exec(range)?.[1] ?? 1);

/**
 * Converts a GraphQL response to CSV (RFC 4180, UTF-8, CRLF, with a header): one line per row of its list, or a single
 * line if it has no list; one column per field, named by its path. Nested lists are JSON. Times are as spreadsheets
 * read them, and what one would run as a formula has an apostrophe before it. A response with errors stays JSON, with
 * the status of the first: a spreadsheet takes the body of a 200 for the table. So does one with several lists, as a
 * 400.
 */
export async function asCsv(response: Response): Promise<Response> {
  const body = (await response.clone().json()) as { data?: unknown; errors?: Failed[] };
  if (body.errors || !isObject(body.data)) return withErrorStatus(body.errors ?? [], response);
  const lists = listNames(body.data);
  if (lists.length > 1) return refused(body.data, lists, response);
  const headers = new Headers([...response.headers]);
  headers.set('content-type', `${mediaType}; charset=utf-8; header=present`);
  headers.delete('content-length');
  const flat = rowsIn(body.data).map((row) => Object.fromEntries(cellsOf(row)));
  const columns = [...new Set(flat.flatMap((row) => Object.keys(row)))];
  const lines = [columns, ...flat.map((row) => columns.map((name) => row[name]))];
  const cells = lines.map((line) => line.map((cell) => (typeof cell === 'string' ? cellText(cell) : cell)));
  const text = columns.length > 0 ? Papa.unparse(cells, { newline: '\r\n' }) : '';
  return new Response(text, { status: response.status, headers });
}

/** The same, recorded in the audit log before it is sent: an export that cannot be recorded fails. */
export async function exportCsv(response: Response, context: Context): Promise<Response> {
  const { data, errors } = (await response.clone().json()) as { data?: Row | null; errors?: unknown };
  const fields = Object.keys(data ?? {}).slice(0, 100);
  const isTable = data && !errors && listNames(data).length < 2;
  if (isTable) await recordEvent(context, { action: 'exported', type: 'Query', rowId: '', fields });
  return asCsv(response);
}

/** The refusal keeps the data: what a mutation did is done. */
function refused(data: Row, lists: string[], response: Response): Response {
  const { message, code } = invalid(
    `CSV is one table, and the operation has several lists, ${lists.slice(0, 10).join(' and ')}: ask for each on its own, or for JSON.`,
  );
  const headers = new Headers([...response.headers]);
  headers.delete('content-length');
  const body = JSON.stringify({ errors: [{ message, extensions: { code } }], data });
  return new Response(body, { status: statusOf[code], headers });
}

function cellsOf(row: Row, path: string[] = []): [string, unknown][] {
  return Object.entries(row).flatMap(([name, value]) => {
    const here = [...path, name];
    if (isObject(value)) return cellsOf(value, here);
    return [[here.join('.'), Array.isArray(value) ? JSON.stringify(value) : value]];
  });
}
