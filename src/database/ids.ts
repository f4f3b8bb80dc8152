import { randomBytes } from 'node:crypto';

/** What the first letters of an id say. Apps are missing: their ids are given by the caller. */
export const idPrefixes = {
  workspace: 'wsp',
  user: 'usr',
  membership: 'mem',
  subscription: 'sub',
  agent: 'agt',
  channel: 'chn',
  plugin: 'plg',
  conversation: 'cnv',
  message: 'msg',
  lead: 'led',
  field: 'fld',
  base: 'bas',
  source: 'src',
  page: 'pag',
  passage: 'psg',
  copy: 'cpy',
  document: 'doc',
  event: 'evt',
  webhook: 'whk',
  delivery: 'dlv',
} as const;

export type IdKind = keyof typeof idPrefixes;

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const kinds = new Map<string, IdKind>(Object.entries(idPrefixes).map(([kind, prefix]) => [prefix, kind as IdKind]));

/**
 * A new id: the kind's prefix, `_`, then 26 characters of Crockford's base 32, of which the first 10 are the time in
 * milliseconds (so ids sort by age) and the last 16 are 80 random bits (so that none can be guessed).
 */
export function newId(kind: IdKind, time: number = Date.now()): string {
  let stamp = '';
  for (let rest = time, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) stamp = alphabet[rest % 32] + stamp;
  let random = '';
  for (const byte of nextRandom(16)) random += alphabet[byte & 31];
  return `${idPrefixes[kind]}_${stamp}${random}`;
}

let kept: Buffer = Buffer.alloc(0);

/** Random bytes, each given out once: they are asked of the system many at a time, since asking costs more than using. */
function nextRandom(count: number): Buffer {
  if (kept.length < count) kept = randomBytes(4_096);
  const given = kept.subarray(0, count);
  kept = kept.subarray(count);
  return given;
}

/** The kind that an id names, or null when it has not the shape of an id made by `newId`. */
export function kindOfId(id: string): IdKind | null {
  const match = /^([a-z]{3})_[0-9a-hjkmnp-tv-z]{26}$/.exec(id);
  return (match?.[1] && kinds.get(match[1])) || null;
}
