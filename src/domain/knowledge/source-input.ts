import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { limits } from '../../core/limits.ts';
import type { Prisma, RefreshInterval, Source, SourceType } from '../../database/generated/prisma/client.ts';
import { jsonNull } from '../../database/json.ts';
import { type Tags, tagsIn } from '../shared/tags.ts';
import { addressPattern, hasCredentials, noCredentials } from '../shared/web-address.ts';

const text = (max: number) =>
  z
    .string()
    .max(max)
    .nullish()
    .transform((value) => value ?? null);

const url = text(2_048)
  .refine((value) => value === null || isWebAddress(value), 'must be an http or https address')
  .refine((value) => value === null || !hasCredentials(value), noCredentials)
  .meta({
    format: 'uri',
    pattern: addressPattern,
  });

/** The `file` object of the specification: unknown keys are rejected; every key is optional and null by default. */
export const fileInput = z.strictObject({
  url,
  data: z
    .record(z.string(), z.unknown(), 'must be an object')
    .nullish()
    .transform((value) => (value ?? null) as Prisma.JsonObject | null),
  title: text(500),
  img: text(1_000_000),
  description: text(5_000),
  size: z
    .number()
    .min(0, 'must not be negative')
    .nullish()
    .transform((value) => value ?? null),
  key: text(1_000),
  ext: text(50),
});
export type FileInput = z.input<typeof fileInput>;
export type File = z.output<typeof fileInput>;

const sourceType = z.enum(['site', 'page', 'youtube', 'file', 'audio', 'faq'] satisfies SourceType[]);

const filled = { type: 'string', pattern: '\\S' };
const pair = { type: 'object', required: ['question', 'answer'], properties: { question: filled, answer: filled } };
const fileOf = (type: object, key: string, value: object) => ({
  properties: { type, file: { required: [key], properties: { [key]: value } } },
});
const notFaq = { enum: ['site', 'page', 'youtube', 'file', 'audio'] satisfies SourceType[] };

/** JSON Schema of `contentIssues`. */
const contentRule = [
  fileOf({ const: 'faq' }, 'data', pair),
  fileOf({ const: 'faq' }, 'data', {
    type: 'object',
    required: ['items'],
    properties: { items: { type: 'array', minItems: 1, items: pair } },
  }),
  fileOf(notFaq, 'url', { type: 'string' }),
  ...['text', 'html', 'base64'].map((key) =>
    fileOf(notFaq, 'data', { type: 'object', required: [key], properties: { [key]: filled } }),
  ),
];

export const sourceInput = z
  .object({ type: sourceType, file: fileInput })
  .meta({ anyOf: contentRule })
  .superRefine(({ type, file }, context) => {
    for (const { path, message } of contentIssues(type, file)) {
      context.addIssue({ code: 'custom', path: ['file', ...path], message });
    }
  });
export type SourceInput = z.input<typeof sourceInput>;
export type NewSource = z.output<typeof sourceInput>;

export const sourcesInput = z.array(sourceInput).min(1, 'must have at least 1 item').max(limits.sources);

type ContentIssue = { path: (string | number)[]; message: string };

/** What a source of this type still needs to be read; empty if nothing is missing. */
export function contentIssues(type: SourceType, file: File): ContentIssue[] {
  const issues = refreshIssues(type, file);
  if (type === 'faq') return [...faqIssues(file.data), ...issues];
  if (file.url !== null || isGiven(file.data)) return issues;
  return [{ path: [], message: 'must have a url, or data with text, html or base64' }];
}

const isGiven = (data: File['data']): boolean => ['text', 'html', 'base64'].some((key) => isFilled(data?.[key]));

const refreshEvery = z.enum(['hourly', 'daily', 'weekly', 'monthly'] satisfies RefreshInterval[]);

/** Why the refresh interval is invalid, if it is. */
export function refreshIssues(type: SourceType, { url, data }: Pick<File, 'url' | 'data'>): ContentIssue[] {
  const every = data?.refreshEvery ?? null;
  const path = ['data', 'refreshEvery'];
  if (every === null) return [];
  if (!refreshEvery.safeParse(every).success)
    return [{ path, message: `must be one of ${refreshEvery.options.join(', ')}` }];
  if (type !== 'faq' && url !== null && !isGiven(data)) return [];
  return [{ path, message: 'only a source with a url can be refreshed automatically' }];
}

function faqIssues(data: File['data']): ContentIssue[] {
  if (!data) return [{ path: ['data'], message: 'must be {question, answer} or {items: [{question, answer}, ...]}' }];
  if (!('items' in data)) return pairIssues(data, ['data']);
  if (!Array.isArray(data.items) || data.items.length === 0) {
    return [{ path: ['data', 'items'], message: 'must be a list of {question, answer} with at least 1 item' }];
  }
  return data.items.flatMap((item, index) => pairIssues(item, ['data', 'items', index])).slice(0, 20);
}

function pairIssues(pair: unknown, path: (string | number)[]): ContentIssue[] {
  const values = (pair ?? {}) as Record<string, unknown>;
  return ['question', 'answer']
    .filter((key) => !isFilled(values[key]))
    .map((key) => ({ path: [...path, key], message: 'must be a non-empty string' }));
}

const isFilled = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';

function isWebAddress(value: string): boolean {
  const parsed = URL.parse(value);
  return parsed !== null && /^https?:$/.test(parsed.protocol);
}

/** A file as columns of a source. */
export const fileColumns = (file: File) => ({
  ...file,
  data: file.data ?? jsonNull,
  // Without tags in the file, the source keeps its own.
  ...withTags(file.data?.tags),
  refreshEvery: refreshEvery.safeParse(file.data?.refreshEvery).data ?? null,
});

function withTags(input: unknown): { tags?: Tags } {
  const tags = tagsIn(input);
  return tags ? { tags } : {};
}

type Known = Pick<Source, 'id' | 'type' | 'url' | 'key' | 'data'>;

/**
 * Matches each given source to an existing one of the same type with the same URL, else key, else content; undefined
 * for a new one. No source is matched twice.
 */
export function matchSources<Row extends Known>(rows: Row[], input: NewSource[]): (Row | undefined)[] {
  const free = new Set(rows);
  return input.map(({ type, file }) => {
    const find = (same: (row: Row) => boolean) => [...free].find((row) => row.type === type && same(row));
    const match =
      (file.url !== null && find((row) => row.url === file.url)) ||
      (file.key !== null && find((row) => row.key === file.key)) ||
      (file.data !== null && find((row) => isDeepStrictEqual(row.data, file.data))) ||
      undefined;
    if (match) free.delete(match);
    return match;
  });
}

/** A filter for the rows that `matchSources` may match, to avoid loading the content of others. */
export function mayMatch(input: NewSource[]): Prisma.SourceWhereInput {
  return {
    OR: input.flatMap(({ type, file }) => [
      ...(file.url !== null ? [{ type, url: file.url }] : []),
      ...(file.key !== null ? [{ type, key: file.key }] : []),
      ...(file.data !== null ? [{ type, data: { equals: file.data } }] : []),
    ]),
  };
}
