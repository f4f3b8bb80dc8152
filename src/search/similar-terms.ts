import { distance } from 'fastest-levenshtein';
import { LRUCache } from 'lru-cache';
import { memoize } from '../core/lazy.ts';
import type { Transaction } from '../database/client.ts';
import type { QueryWord } from '../text/lexemes.ts';

type Queries = Pick<Transaction, '$queryRaw'>;

const minLength = 4;
/** The maximum number of similar terms per word, the most similar first. */
const maxTerms = 20;
const maxTypos = 2;
/** Terms with the same prefix are compared: the language's letter, a colon and two more letters. */
const markLength = 2;
const startLength = markLength + 2;
/** With more new runs than this, all terms are reread, by a skip scan rather than entry by entry. */
const maxNewRuns = 4;

/** `runs`: the numbers of the workspace's current runs. `begun`: also match terms that a word is a prefix of. */
type Where = { workspaceId: string; runs: number[]; begun: boolean };

/**
 * For words that no passage of the workspace contains, returns the index terms that may be meant: those with two
 * adjacent letters swapped, the most frequent slip, or else those with the same first two letters and one typo in about
 * four letters. Words without any are omitted.
 */
export async function similarTerms(
  database: Queries,
  where: Where,
  words: QueryWord[],
): Promise<Map<string, string[]>> {
  const near = new Map<string, string[]>();
  const sought = words.filter(({ word, isPair }) => !isPair && word.length >= minLength && /\p{L}/u.test(word));
  const held = await heldOf(
    database,
    where,
    sought.flatMap(({ terms }) => terms.flatMap(swapped)),
  );
  for (const { word, terms } of sought) {
    const slips = terms.flatMap(swapped).filter((term) => held.has(term));
    const found = slips.length > 0 ? slips : await typosOf(database, where, terms);
    if (found.length > 0) near.set(word, [...new Set(found)]);
  }
  return near;
}

/** The terms whose stem differs by a transposition of adjacent letters. */
function swapped(term: string): string[] {
  const [mark, letters] = [term.slice(0, markLength), Array.from(term.slice(markLength))];
  if (letters.length < minLength - 1) return [];
  return letters.slice(1).flatMap((letter, before) => {
    const slipped = letters.with(before, letter).with(before + 1, letters[before] as string);
    return letter === letters[before] ? [] : `${mark}${slipped.join('')}`;
  });
}

/** The most similar terms to any of these. */
async function typosOf(database: Queries, where: Where, terms: string[]): Promise<string[]> {
  const found: { term: string; typos: number }[] = [];
  for (const term of terms) {
    const stem = term.slice(markLength);
    if (stem.length < minLength - 1) continue;
    for (const candidate of await termsFrom(database, where, Array.from(term).slice(0, startLength).join(''))) {
      const typos = typosBetween(stem, candidate.slice(markLength), where.begun);
      if (typos !== null) found.push({ term: candidate, typos });
    }
  }
  found.sort((a, b) => a.typos - b.typos || a.term.length - b.term.length || (a.term < b.term ? -1 : 1));
  return found.slice(0, maxTerms).map(({ term }) => term);
}

/**
 * Returns how far a stem is from the written one: 1 if it begins with it, otherwise its typos, at most one in four
 * letters. Null if it is too far.
 */
function typosBetween(stem: string, candidate: string, begun: boolean): number | null {
  if (begun && candidate.startsWith(stem)) return 1;
  const max = Math.min(stem.length >> 2, maxTypos);
  if (Math.abs(stem.length - candidate.length) > max) return null;
  const typos = distance(stem, candidate);
  return typos <= max ? typos : null;
}

/** Those of the terms that the workspace has. */
async function heldOf(database: Queries, { workspaceId }: Where, terms: string[]): Promise<Set<string>> {
  if (terms.length === 0) return new Set();
  const rows = await database.$queryRaw<{ term: string }[]>`
    SELECT slip.term FROM unnest(${[...new Set(terms)]}::text[]) AS slip(term) WHERE EXISTS (
      SELECT FROM "PassageTerm" WHERE "workspaceId" = ${workspaceId} AND "PassageTerm"."term" = slip.term
    )`;
  return new Set(rows.map(({ term }) => term));
}

/** Terms with a common prefix, and the runs that they were read from. Terms of removed runs do no harm. */
type CachedTerms = { runs: Set<number>; terms: Set<string> };

const cacheOf = memoize(
  (_: Queries) =>
    new LRUCache<string, CachedTerms>({
      maxSize: 16 * 2 ** 20,
      sizeCalculation: ({ terms }) => 200 + 80 * terms.size,
    }),
);

/** Returns the workspace's terms with this prefix. They are cached: the terms of a run never change. */
async function termsFrom(database: Queries, { workspaceId, runs }: Where, start: string): Promise<Set<string>> {
  const cache = cacheOf(database);
  const key = `${workspaceId} ${start}`;
  const cached = cache.get(key);
  const newRuns = runs.filter((run) => !cached?.runs.has(run));
  if (cached && newRuns.length === 0) return cached.terms;
  const read =
    cached && newRuns.length <= maxNewRuns
      ? await readOfRuns(database, workspaceId, start, newRuns)
      : await readAll(database, workspaceId, start);
  const terms = new Set(cached && newRuns.length <= maxNewRuns ? [...cached.terms, ...read] : read);
  cache.set(key, { runs: new Set(runs), terms });
  return terms;
}

async function readOfRuns(database: Queries, workspaceId: string, start: string, runs: number[]): Promise<string[]> {
  const rows = await database.$queryRaw<{ term: string }[]>`
    SELECT DISTINCT "term" FROM "PassageTerm"
    WHERE "workspaceId" = ${workspaceId} AND "segment" = ANY (${runs}::bigint[]) AND starts_with("term", ${start})`;
  return rows.map(({ term }) => term);
}

/** A skip scan from term to term: in a large workspace a term may be in hundreds of runs. */
async function readAll(database: Queries, workspaceId: string, start: string): Promise<string[]> {
  const rows = await database.$queryRaw<{ term: string }[]>`
    WITH RECURSIVE held AS (
      (SELECT "term" FROM "PassageTerm" WHERE "workspaceId" = ${workspaceId} AND "term" >= ${start} ORDER BY "term" LIMIT 1)
      UNION ALL
      SELECT (
        SELECT "term" FROM "PassageTerm" WHERE "workspaceId" = ${workspaceId} AND "term" > held.term ORDER BY "term" LIMIT 1
      ) FROM held WHERE starts_with(held.term, ${start})
    )
    SELECT term FROM held WHERE starts_with(term, ${start})`;
  return rows.map(({ term }) => term);
}
