import { randomBytes } from 'node:crypto';

/**
 * The prefix of each kind of id and the GraphQL type that it identifies, null for rows that the graph does not expose.
 * Apps are missing, since callers choose their ids.
 */
const idKinds = {
  workspace: ['wsp', 'Workspace'],
  user: ['usr', 'User'],
  membership: ['mem', 'Membership'],
  invitation: ['inv', null],
  key: ['key', 'Key'],
  subscription: ['sub', 'WorkspaceSubscription'],
  agent: ['agt', 'Agent'],
  channel: ['chn', 'Channel'],
  plugin: ['plg', 'Plugin'],
  conversation: ['cnv', 'Conversation'],
  message: ['msg', 'Message'],
  stage: ['stg', 'ReachedStage'],
  alternative: ['alt', null],
  lead: ['led', 'Lead'],
  field: ['fld', 'Field'],
  base: ['bas', 'Base'],
  source: ['src', 'Source'],
  page: ['pag', 'SourcePage'],
  passage: ['psg', 'Passage'],
  copy: ['cpy', 'Copy'],
  document: ['doc', 'Document'],
  event: ['evt', null],
  webhook: ['whk', 'Webhook'],
  delivery: ['dlv', 'WebhookDelivery'],
  gap: ['gap', 'Gap'],
  question: ['qst', 'GapQuestion'],
  proposal: ['prp', 'GapProposal'],
  citation: ['cit', 'Citation'],
  evaluationCase: ['evc', 'EvaluationCase'],
  evaluationRun: ['evr', 'EvaluationRun'],
  evaluationResult: ['evx', 'EvaluationResult'],
  file: ['fil', null],
  auditEntry: ['aud', 'AuditEntry'],
  erasureReceipt: ['ers', 'ErasureReceipt'],
  savedOperation: ['sop', 'SavedOperation'],
  dashboard: ['dsb', 'Dashboard'],
  alert: ['alr', null],
} as const satisfies Record<string, [prefix: string, type: string | null]>;

export type IdKind = keyof typeof idKinds;

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const kinds = new Map<string, IdKind>(Object.entries(idKinds).map(([kind, [prefix]]) => [prefix, kind as IdKind]));

/**
 * Returns a new id: the kind's prefix, `_`, and 26 characters of Crockford's base 32. The first 10 are the time in
 * milliseconds, so ids sort by age. The other 16 are random, so ids cannot be guessed; the first three of them increase
 * within a millisecond of one process, so these ids sort by age too.
 */
export function newId(kind: IdKind, time: number = Date.now()): string {
  const random = nextRandom(13);
  let text = '';
  for (const byte of random) text += alphabet[byte & 31];
  return `${idKinds[kind][0]}_${digits(time, 10)}${digits(nextRank(time), 3)}${text}`;
}

/** A number in base 32, with leading zeros. */
function digits(number: number, length: number): string {
  let text = '';
  for (let rest = number; text.length < length; rest = Math.floor(rest / 32)) text = alphabet[rest % 32] + text;
  return text;
}

let lastTime = 0;
let lastRank = 0;

/** Starts in the lower half of 32,768, so it cannot overflow within a millisecond. */
function nextRank(time: number): number {
  lastRank = time === lastTime ? lastRank + 1 : nextRandom(2).readUInt16BE() >> 2;
  lastTime = time;
  return lastRank;
}

let randomPool: Buffer = Buffer.alloc(0);

/** Random bytes from a buffer, each used once: one large system call is cheaper than many small ones. */
function nextRandom(count: number): Buffer {
  if (randomPool.length < count) randomPool = randomBytes(4_096);
  const bytes = randomPool.subarray(0, count);
  randomPool = randomPool.subarray(count);
  return bytes;
}

/**
 * The id under which the graph shows a row as another kind of object, and back. Caches keep an object by its id: Relay
 * by nothing else.
 */
export const idAs = (kind: IdKind, id: string): string => id.replace(/^(?:[a-z]{3}_)?/, `${idKinds[kind][0]}_`);

/** Returns the kind of an id, or null if it does not have the format of `newId`. */
export function kindOfId(id: string): IdKind | null {
  const match = /^([a-z]{3})_[0-9a-hjkmnp-tv-z]{26}$/.exec(id);
  return (match?.[1] && kinds.get(match[1])) || null;
}

/** Returns the GraphQL type of an id. Ids of any other format are apps', the only ones that callers choose. */
export function typenameOfId(id: string): string {
  const kind = kindOfId(id);
  return (kind && idKinds[kind][1]) ?? 'App';
}
