import { z } from 'zod';
import { ParleyError } from '../core/errors.ts';
import { etagOf, timesIn } from '../core/etag.ts';
import type { Viewer } from '../core/viewer.ts';
import type { RequestParts } from './input.ts';
import type { Route } from './route.ts';

/** Headers for optimistic locking. */
export const conditionHeaders = z.object({
  'If-Match': z
    .string()
    .optional()
    .meta({
      description:
        'One or more `ETag` values of the object as you know it. If it has changed since, nothing is done and the response is 409 `conflict` with the current `ETag`. `*` matches any version.',
      examples: ['"fld_01m7yqpxrm9pwast1wky2nypzh-1790000000000"'],
    }),
});

type Conditional = Pick<Route, 'conditional'>;
type ConditionalRequest = Pick<RequestParts, 'headers' | 'params'>;

/** Returns the versions of the row, as `updatedAt` times, that the request expects; null without a condition. */
export function expectedTimes(
  { conditional }: Conditional,
  { headers, params }: ConditionalRequest,
  viewer: Viewer,
): Date[] | null {
  const ifMatch = conditional ? headers.get('if-match')?.trim() : null;
  if (!ifMatch || ifMatch === '*') return null;
  const names = new Set([viewer.workspaceId, ...Object.values(params)]);
  const times = timesIn(ifMatch, (name) => names.has(name));
  // No row has this time, so tags that do not match the row lead to a conflict.
  return times.length > 0 ? times : [new Date(0)];
}

/** Adds the condition to the variables of a document. */
export function withExpected(variables: object, time: Date | undefined): object {
  if (!time) return variables;
  const expectedUpdatedAt = time.toISOString();
  const { input } = variables as { input?: object };
  return input ? { ...variables, input: { ...input, expectedUpdatedAt } } : { ...variables, expectedUpdatedAt };
}

/** Tries the first expected time; if the row turns out to have another one of them, retries with that. */
export async function tryExpectedTimes<T>(times: Date[] | null, ask: (time?: Date) => Promise<T>): Promise<T> {
  try {
    return await ask(times?.[0]);
  } catch (error) {
    const [current] = error instanceof ParleyError ? timesIn(error.headers.etag ?? '', () => true) : [];
    const other = times?.slice(1).find((time) => time.getTime() === current?.getTime());
    if (!other) throw error;
    return ask(other);
  }
}

/** Returns the ETag header of a response with a single row; none if its `updatedAt` is unknown. */
export function tagHeader(row: string | null | undefined): { ETag?: string } {
  const shown = row ? (JSON.parse(row) as Parameters<typeof etagOf>[0] | null) : null;
  return shown && typeof shown === 'object' && shown.updatedAt ? { ETag: etagOf(shown) } : {};
}
