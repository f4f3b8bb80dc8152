import type { ErrorBody, ErrorCode } from '../../../src/core/errors.ts';
import type { Examples } from '../../../src/rest/openapi/examples.ts';
import { exampleId } from '../../../src/rest/records/common.ts';

const moment = '2026-07-31T09:30:00.000Z';

/**
 * Returns what replaces, in responses, all that differs from run to run: ids by those of the examples of requests,
 * times, secrets and waiting times. `ids` are those that the requests had, by prefix.
 */
export function normalizer(ids: Record<string, string>) {
  const known = new Map(Object.entries(ids).map(([prefix, id]) => [id, exampleId(prefix)]));
  const counts = new Map<string, number>();
  const idFor = (id: string, prefix: string): string => {
    const existing = known.get(id);
    if (existing) return existing;
    const count = counts.get(prefix) ?? (prefix in ids ? 1 : 0);
    counts.set(prefix, count + 1);
    const text = count === 0 ? exampleId(prefix) : `${exampleId(prefix).slice(0, -2)}${String(count).padStart(2, '0')}`;
    known.set(id, text);
    return text;
  };
  return <Body>(body: Body): Body => {
    const text = JSON.stringify(body)
      .replaceAll(/\b([a-z]{3})_[0-9a-z]{26}\b/g, idFor)
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, moment)
      .replaceAll(/("(?:created|updated)At":)\d{13}/g, `$1${Date.parse(moment)}`)
      .replaceAll(/"token":"ey[^"]+"/g, '"token":"eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl"')
      .replaceAll(/\bpas_[\w-]+/g, 'pas_fQ1mXk3eYv7sLr9tWb2nHc5dJg8pZa4u')
      .replaceAll(/in \d+ s\./g, 'in 30 s.');
    return JSON.parse(text) as Body;
  };
}

/** Two rows show the form of a list. */
export function shortened(body: unknown): unknown {
  if (Array.isArray(body)) return body.slice(0, 2);
  const { data, ...rest } = (body ?? {}) as { data?: unknown };
  return Array.isArray(data) ? { data: data.slice(0, 2), ...rest } : body;
}

/** Separates the errors that most operations share from those of a single one. */
export function examplesFrom(
  responses: Examples['responses'],
  failures: Map<string, Partial<Record<ErrorCode, ErrorBody>>>,
): Examples {
  const bodies = [...failures].flatMap(([id, errors]) => Object.values(errors).map((body) => ({ id, body })));
  const shared: Examples['errors'] = {};
  for (const [code, sharing] of Map.groupBy(bodies, ({ body }) => body.code)) {
    const [most = []] = [...Map.groupBy(sharing, ({ body }) => JSON.stringify(body)).values()].toSorted(
      (a, b) => b.length - a.length,
    );
    if (most.length > 1 && most[0]) shared[code] = most[0].body;
  }
  const own: Examples['own'] = {};
  for (const { id, body } of bodies) {
    if (JSON.stringify(shared[body.code]) !== JSON.stringify(body)) own[id] = { ...own[id], [body.code]: body };
  }
  return { responses, errors: shared, own };
}
