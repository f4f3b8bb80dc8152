import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { type ErrorCode, readableName, statusOf } from '../core/errors.ts';

/**
 * Writes what every error means, and its texts as the code has them, into docs/troubleshooting.md, between its markers.
 */
type Group = 'start' | 'source' | ErrorCode;

/** What to do about an error, where its text does not say all of it. */
const advice: Record<ErrorCode, string> = {
  invalid_request:
    'Something in the request is not valid. `issues` names each key at fault, and what it must be. Repeating it unchanged never helps.',
  unknown_tool_call:
    'A `tool` message answers a call that does not wait for a result: it was answered, or belongs to another conversation. Send the `toolCallId` of the reply.',
  unauthorized:
    'The bearer is missing, wrong or identifies nobody. Check the header first: `Authorization: Bearer <token>`, without quotes or line breaks. `npm run --silent token` prints a token of this gateway: one of another gateway, or of its former database, is not valid here.',
  token_expired: 'Tokens are valid for an hour: get a new one, or use a [key](keys.md) in a program.',
  subscription_inactive: 'No agent answers until the workspace has a trial or a plan (`createSubscription`).',
  forbidden:
    'The bearer is valid, but may not do this. [Permissions](permissions.md) lists what each role may do; a [key](keys.md) may do only what its scopes name.',
  not_found:
    'The bearer’s workspace has no such row, or the bearer may not see it: a wrong id and one of another workspace get the same answer. Compare the token’s workspace (`{ viewer { workspace { id } } }`) with that of the row.',
  method_not_allowed: 'The path takes other methods: the header `Allow` names them.',
  conflict:
    'The request is valid, but does not fit what is stored. Read the row again, and repeat the request if it still applies. [Concurrent changes](rest.md#concurrent-changes) explains `If-Match`.',
  conversation_busy: 'A conversation has one reply at a time. Wait until it ends, or stop it (`stopTurn`).',
  request_in_progress: 'The first request with this `Idempotency-Key` still runs. Repeat after `Retry-After`.',
  reauthorization_required:
    'The plugin’s authorization has ended. A person has to authorize it again: `authorizePlugin` returns the address to open.',
  payload_too_large: 'Send less: a file by `url` and not as base64, fewer messages, a shorter query.',
  unsupported_media_type: 'Send the body in a format that the operation takes, and accept a format that it returns.',
  idempotency_key_reused: 'A key identifies one request. Use a new one for each.',
  content_filtered:
    'The model provider’s filter refuses the conversation. The message is stored; repeating it does not help. Choose a model with another filter.',
  model_refused:
    'The model refuses to answer. The message is stored; repeating it does not help. Check the agent’s `instructions`, or choose another model.',
  context_overflow:
    'The conversation is longer than the model takes. Lower `MODEL_HISTORY_TOKENS`, or give the model its `context` in `MODELS`.',
  rate_limited:
    'Wait for `Retry-After`. `RateLimit` says what is left; [Keys](keys.md#how-often) says which limits there are and who sets them.',
  usage_limit_exceeded:
    'The month’s interactions are used up. The message is stored. The operator can raise the number: `npm run --silent quota`.',
  internal_error:
    'A fault of the gateway. In its log, the lines whose `requestId` is the response’s `X-Request-Id` have the `cause`.',
  model_error:
    'The model did not answer, or not usefully. The message is stored. `trace` of the message shows owners what the provider said, and the log has it as `a model failed` ([Models](models.md#failures)).',
  unavailable:
    'Something that the gateway needs is down, overloaded or too slow: the database, a model or the storage. Repeat after `Retry-After`, with the same `Idempotency-Key`. The log has the `cause`.',
  model_timeout:
    'The reply took longer than `MODEL_TIMEOUT_MS`, or the agent’s own `timeoutMs`. Choose a faster model, or a longer time.',
};

const classes: Record<string, Group | null> = {
  ParleyError: null,
  ConfigError: 'start',
  ExtractFailure: 'source',
  FetchFailure: 'source',
  invalid: 'invalid_request',
  conflict: 'conflict',
  forbidden: 'forbidden',
  unauthorized: 'unauthorized',
  notFound: 'not_found',
};
const thrown = new RegExp(`(?<![\\w.])(${Object.keys(classes).join('|')})\\(`, 'g');
const token =
  /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\})*`|[\s\S]/y;

/** The tokens of an argument that begins at a place: its texts, and single characters of all else. */
function* argumentAt(source: string, start: number): Generator<string> {
  token.lastIndex = start;
  for (let depth = 0; token.lastIndex < source.length; ) {
    const [found = ''] = token.exec(source) ?? [];
    if (/^[([{]$/.test(found)) depth++;
    if (/^[)\]}]$/.test(found) && depth-- === 0) return;
    if (depth === 0 && /^[,;]$/.test(found)) return;
    yield found;
  }
}

/** The texts of an expression: those that `+` joins are one, what code inserts is an ellipsis. */
function textsAt(source: string, start: number): string[] {
  const texts: string[] = [];
  let joined = false;
  for (const part of argumentAt(source, start)) {
    if (part === '+' || /^\s$/.test(part)) {
      joined ||= part === '+';
      continue;
    }
    if (part.length > 1) texts.push((joined ? (texts.pop() ?? '') : '') + textOf(part));
    joined = false;
  }
  if (texts.length > 0) return texts;
  const name = /^\s*(\w+)/.exec(source.slice(start, start + 60))?.[1];
  return name ? textsOfName(source, start, name) : [];
}

/** The texts of a constant, the last one before an offset or of another module, or those that a function returns. */
function textsOfName(source: string, offset: number, name: string): string[] {
  const body = new RegExp(`\nfunction ${name}\\([^]*?\n}\n`).exec(source)?.[0];
  if (body) return [...body.matchAll(/\breturn /g)].flatMap(({ index }) => textsAt(body, index + 7));
  const declared = [...source.matchAll(new RegExp(`const ${name}(?:: string)? =`, 'g'))];
  const last = declared.findLast(({ index }) => index < offset) ?? declared[0];
  if (last) return textsAt(source, last.index + last[0].length);
  const exporting = new RegExp(`export const ${name} =`);
  for (const other of sources) {
    const exported = exporting.exec(other);
    if (exported) return textsAt(other, exported.index + exported[0].length);
  }
  return [];
}

const textOf = (literal: string): string =>
  literal
    .slice(1, -1)
    .replace(/\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\}/g, '…')
    .replace(/\\(.)/g, '$1');

const files = globSync(['src/**/*.ts', 'schema/**/*.ts'])
  .filter((file) => !/generated|browser|\/cli\/|core\/errors\.ts/.test(file))
  .toSorted();
const sources = files.map((file) => readFileSync(file, 'utf8'));
const found = new Map<Group, Set<string>>();
for (const source of sources) {
  for (const call of source.matchAll(thrown)) {
    const from = call.index + call[0].length;
    const code = /^\s*'(\w+)',/.exec(source.slice(from, from + 40));
    const group = classes[call[1] ?? ''] ?? (code?.[1] as ErrorCode | undefined);
    if (!group) continue;
    const texts = textsAt(source, from + (call[1] === 'ParleyError' ? (code?.[0].length ?? 0) : 0));
    const hasExpired = group === 'unauthorized' && /^\s*'token_expired'/.test(source.slice(token.lastIndex));
    const messages = group === 'not_found' ? texts.map((text) => `${readableName(text)} not found.`) : texts;
    const known = found.get(hasExpired ? 'token_expired' : group) ?? new Set();
    found.set(hasExpired ? 'token_expired' : group, known.union(new Set(messages.filter(isInformative))));
  }
}

/** Whether a text says something by itself. */
function isInformative(text: string): boolean {
  return (text.match(/\p{L}{2,}/gu) ?? []).length >= (text.startsWith('…') ? 4 : 3);
}

const listOf = (group: Group): string =>
  [...(found.get(group) ?? [])]
    .toSorted((one, other) => one.localeCompare(other, 'en'))
    .map((text) => `- ${text.replace(/[\\<>*_[\]|]/g, '\\$&').replaceAll('\n', ' ')}`)
    .join('\n');

const codes = (Object.keys(statusOf) as ErrorCode[]).map((code) =>
  [`### \`${code}\``, `Status ${statusOf[code]}. ${advice[code]}`, listOf(code)].filter(Boolean).join('\n\n'),
);
const printed = { codes: codes.join('\n\n'), start: listOf('start'), source: listOf('source') };

let page = readFileSync('docs/troubleshooting.md', 'utf8');
for (const [name, text] of Object.entries(printed)) {
  const marked = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- /${name} -->)`);
  if (!marked.test(page)) throw new Error(`docs/troubleshooting.md has no <!-- ${name} --> marks.`);
  page = page.replace(marked, (_, begin, end) => `${begin}\n${text}\n\n${end}`);
}
writeFileSync('docs/troubleshooting.md', page);
