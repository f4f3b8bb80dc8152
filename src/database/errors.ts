import { capitalized } from '../core/capitals.ts';
import { conflict, invalid, notFound, ParleyError, readableName } from '../core/errors.ts';
import { currentOutcome } from './deadline.ts';

/** What Prisma's client, its adapter and node-postgres report of a failure, in one shape. */
type ErrorDetails = { prisma: string; state: string; kind: string; model: string; constraint: string; text: string };

const unavailableStates = /^(08...|28...|3D000|53...|57...|40001|40P01|55P03|25006)$/;
/** Network errors of a server that is down, restarting or unreachable. */
const unavailableNetwork =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
const unavailablePrisma = /^(P1\d{3}|P2024|P2028|P2034|P2037)$/;
/** The adapter's kinds of failure for raw statements, which Prisma passes on as P2010 without a code of their own. */
const unavailableKinds =
  /^(DatabaseNotReachable|DatabaseDoesNotExist|DatabaseAccessDenied|AuthenticationFailed|ConnectionClosed|TlsConnectionError|TooManyConnections|SocketTimeout|TransactionAlreadyClosed|TransactionWriteConflict)$/;
const diskFullCode = '53100';
/** The SQLSTATE of a write to a database whose data was moved to another one. */
export const movedState = 'PYMOV';
/**
 * Known by message only: node-postgres has no codes for these, a coordinator none for a connection to a node that is
 * lost, nor PostgreSQL specific ones for the rest.
 */
const unavailableText =
  /^(The database did not answer within|timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Cannot use a pool after calling end|database ".*" is not currently accepting connections|SSL SYSCALL error|server closed the connection unexpectedly|could not (?:send data to|receive data from) (?:server|client)|permission denied for database)/;

const invalidStates: Record<string, string> = {
  '22001': 'A value is too long.',
  '54000': 'A value is too long.',
  '22003': 'A number is out of range.',
  '22007': 'A date or time is not valid.',
  '22008': 'A date or time is out of range.',
  '22021': 'A text contains a character that cannot be stored, such as NUL (U+0000).',
  '22P05': 'A text contains a character that cannot be stored, such as NUL (U+0000).',
  '22P02': 'A value is not valid for its type.',
};

/**
 * Maps a database failure to `conflict`, `not_found`, `invalid_request` or `unavailable`, with a message that contains
 * no SQL and no stored value. Null if neither the caller nor the network caused it.
 */
export function databaseError(error: unknown): ParleyError | null {
  if (error instanceof ParleyError) return error;
  const details = errorDetailsOf(error);
  if (!details) return null;
  if (details.prisma === 'P2002' || details.state === '23505') return conflict(duplicateOf(details));
  if (details.prisma === 'P2003' || details.state === '23503' || details.state === '23001')
    return brokenReference(details);
  if (details.prisma === 'P2025') return notFound(details.model || 'Row');
  const problem = invalidStates[details.state];
  if (problem) return invalid(problem);
  if (details.state === diskFullCode) return diskFullError();
  if (details.state === movedState) return movedError();
  return isUnavailable(details) ? (currentOutcome()?.uncertain ? uncertain() : unavailable()) : null;
}

/** Names the kind of a database failure for the log, such as `database 57P01` or `database ECONNREFUSED`. */
export const databaseFailureCause = (error: unknown): string => `database ${failureKind(error)}`;

/** The SQLSTATE, code or name of a failure. */
export function failureKind(error: unknown): string {
  return failureCode(error) ?? (error instanceof Error ? error.name : typeof error);
}

/** The SQLSTATE or code of a failure that is known by one: of the database, the network or the disk. */
export function failureCode(error: unknown): string | null {
  const { state, kind, prisma } = errorDetailsOf(error) ?? { state: '', kind: '', prisma: '' };
  return state || kind || prisma || null;
}

/** Whether PostgreSQL aborted a transaction in favour of others: a retry may succeed. */
export function isDeadlock(error: unknown): boolean {
  const details = errorDetailsOf(error);
  return details !== null && (details.prisma === 'P2034' || /^40(P01|001)$/.test(details.state));
}

function isUnavailable({ prisma, state, kind, text }: ErrorDetails): boolean {
  if (unavailablePrisma.test(prisma) || unavailableStates.test(state) || unavailableKinds.test(kind)) return true;
  return unavailableNetwork.test(state) || unavailableText.test(text);
}

/**
 * Without a `cause`, since GraphQL servers mask an error that wraps a foreign one: log the cause where this is created.
 */
const unavailable = (): ParleyError =>
  new ParleyError('unavailable', 'The database cannot be reached at the moment: try again shortly.', {
    headers: { 'retry-after': '1' },
  });

/** The writes may have been stored: the response was lost, or one part was committed before another failed. */
const uncertain = (): ParleyError =>
  new ParleyError(
    'unavailable',
    'The database cannot be reached at the moment. The change may or may not have been stored: check before sending it ' +
      'again, or send it again with the same Idempotency-Key.',
    { headers: { 'retry-after': '1' } },
  );

/** Reads still work; writes fail until the operator frees disk space. */
const diskFullError = (): ParleyError =>
  new ParleyError(
    'unavailable',
    'Nothing can be stored at the moment: the disk of the database is full. Try again later.',
    {
      headers: { 'retry-after': '60' },
    },
  );

/**
 * Reads still work; writes fail until the operator stops this gateway, which is not connected to the other database.
 */
const movedError = (): ParleyError =>
  new ParleyError('unavailable', 'Nothing can be stored here: the data of this service was moved. Try again later.', {
    headers: { 'retry-after': '60' },
  });

/**
 * `Field_workspaceId_nameKey_key`, or `Field_p0_workspaceId_nameKey_idx` of a partition → "A field with this name
 * already exists."
 */
function duplicateOf({ model, constraint }: ErrorDetails): string {
  const [table = '', ...columns] = constraint
    .replace(/_p\d+(?=_)/, '')
    .replace(/_(key|pkey|idx)$/, '')
    .split('_');
  const names = columns.filter((column) => column !== 'workspaceId').map((column) => column.replace(/(Key|Id)$/, ''));
  const what = withArticle(model || table);
  return names.length > 0 ? `${what} with this ${names.join(' and ')} already exists.` : `${what} already exists.`;
}

/** Either a row that others still reference was deleted, or a new reference points to a missing row. */
function brokenReference({ model, constraint, text }: ErrorDetails): ParleyError {
  const [table = '', ...rest] = constraint.replace(/_fkey$/, '').split('_');
  if (!/insert or update on/.test(text)) {
    return conflict(`${readableName(model) || 'The row'} is still in use by ${withArticle(table).toLowerCase()}.`);
  }
  const column = rest.at(-1)?.replace(/Id$/, '') ?? '';
  return notFound(capitalized(column) || 'Row');
}

/** `AgentBase` → "An agent base". */
function withArticle(model: string): string {
  const name = (readableName(model) || 'Row').toLowerCase();
  return `${/^[aeio]/.test(name) ? 'An' : 'A'} ${name}`;
}

function errorDetailsOf(error: unknown): ErrorDetails | null {
  if (!(error instanceof Error)) return null;
  const { code, meta, message } = error as Error & { code?: unknown; meta?: Record<string, unknown> };
  const known = typeof code === 'string' ? code : '';
  const wrapped = meta?.driverAdapterError as { cause?: unknown } | undefined;
  const driver = causeOf(wrapped?.cause ?? error.cause) ?? causeOf(error);
  return {
    prisma: /^P\d{4}$/.test(known) ? known : '',
    state: driver?.state || (/^P\d{4}$/.test(known) ? '' : known),
    kind: driver?.kind ?? '',
    model: typeof meta?.modelName === 'string' ? meta.modelName : '',
    constraint: (driver?.constraint ?? '').replace(shardNumber, ''),
    text: driver?.text || message,
  };
}

/** What Citus adds to the names of a distributed table's constraints. */
const shardNumber = /_\d{6,}$/;
/** A coordinator passes on the text of a node's error, but not which constraint it is about. */
const constraintIn = /\bconstraint "([^"]+)"/;

/** The error as the adapter or node-postgres describes it. */
function causeOf(cause: unknown): Pick<ErrorDetails, 'state' | 'kind' | 'constraint' | 'text'> | null {
  if (typeof cause !== 'object' || cause === null) return null;
  const { originalCode, originalMessage, code, kind, message, constraint } = cause as Record<string, unknown>;
  const name = typeof constraint === 'string' ? constraint : (constraint as { index?: string } | undefined)?.index;
  const text = String(originalMessage ?? message ?? '');
  return {
    state: String(originalCode ?? code ?? ''),
    kind: String(kind ?? ''),
    text,
    constraint: name ?? constraintIn.exec(text)?.[1] ?? '',
  };
}
