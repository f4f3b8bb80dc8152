import { GraphQLError } from 'graphql';
import { type CauseLog, logCause } from '../core/causes.ts';
import { internalError, invalid, ParleyError, truncate } from '../core/errors.ts';
import { databaseError, databaseFailureCause } from '../database/errors.ts';

/**
 * Converts whatever was thrown (a domain error, a database error, a document that does not validate) into the error
 * that the caller may see, and logs what caused it. Unexpected errors become 500 `internal_error`.
 */
export function failureOf(error: unknown, log: CauseLog): ParleyError {
  const cause = causeOf(error);
  if (cause instanceof ParleyError) {
    logCause(cause, log);
    return cause;
  }
  if (cause instanceof RangeError) return invalid('The document is nested too deeply: ask for fewer levels.');
  const databaseFailure = databaseError(cause);
  if (databaseFailure) {
    if (databaseFailure.code === 'unavailable') {
      log.error({ cause: databaseFailureCause(cause), err: cause }, 'the database failed');
    }
    return databaseFailure;
  }
  // Without a path the operation never ran: a syntax error, a validation error, or an invalid variable.
  if (cause instanceof GraphQLError && !(error as GraphQLError).path) return invalid(truncate(readable(cause.message)));
  const argument = cause instanceof GraphQLError && invalidArgument(cause.message);
  if (argument) return invalid(truncate(argument));
  log.error({ err: cause }, 'unexpected failure');
  return internalError(cause);
}

function causeOf(error: unknown): unknown {
  let cause = error;
  while (cause instanceof GraphQLError && !(cause instanceof ParleyError) && cause.originalError) {
    cause = cause.originalError;
  }
  return cause instanceof GraphQLError && !(cause instanceof ParleyError) ? error : cause;
}

/** How the two executors, graphql-js and Yoga, report a variable with an invalid value. */
const wrongVariable = [
  /^Variable "\$(\w+)" has invalid value(?: at ([\w.[\]]+))?: (.*)$/s,
  /^Variable "\$(\w+)" got invalid value .*?(?: at "\w+\.?([\w.[\]]*)")?; (.*)$/s,
];
/** The same two executors, for a missing required key. */
const missingKey = [
  /^Expected value of type "\w+" to include required field "(\w+)"/,
  /^Field "(\w+)" of required type "[^"]+" was not provided/,
];

/** How both report an argument that is only known to be invalid once the operation runs: a variable that is null. */
const wrongArgument = [
  /^Argument "[@\w.]+\((\w+):\)" has invalid value(?: at ([\w.[\]]+))?: (.*)$/s,
  /^Argument "(\w+)"()(?: of \w+ type "\S+" | has invalid value )(.*)$/s,
];

/**
 * "Argument "Agent.leads(first:)" has invalid value at .x: Expected …" → "first.x: Expected …"; null for other
 * messages.
 */
function invalidArgument(message: string): string | null {
  const match = wrongArgument.map((form) => form.exec(message)).find(Boolean);
  if (!match) return null;
  return `${[match[1], ...keysIn(match[2])].join('.')}: ${reworded(match[3] as string)}`;
}

/** Messages of scalars and of graphql-js, reworded in the style of our own. */
const rewordings: [RegExp, string][] = [
  [
    /^Expected variable "(\$\w+)" provided to non-null type "\S+" not to be null\.$/,
    'the variable $1 must not be null',
  ],
  [/^Expected (?:value of )?non-null(?:able)? type "\S+" not to be null\.$/, 'must not be null'],
  [/^Value is not a valid HexColorCode: .*$/s, 'must be a hex color such as #2563eb'],
  [
    /^Int cannot represent non 32-bit signed integer value: .*$/s,
    'must be a whole number from -2147483648 to 2147483647',
  ],
  [
    /^DateTime cannot represent .*$/s,
    'must be a timestamp such as 2026-09-01T10:15:30Z or, in a time range, a date such as 2026-09-01',
  ],
  // A scalar quotes the value that it rejects, even when that is an object.
  [/: \[object \w+\].*$/s, ''],
];

/**
 * "Variable "$input" has invalid value at .sources[0].type: Value …" → "sources.0.type: Value …". Omits the variable's
 * name when it is `input`, the argument of every mutation.
 */
function readable(message: string): string {
  const match = wrongVariable.map((form) => form.exec(message)).find(Boolean);
  if (!match)
    return message.replace(/^(DateTime) cannot represent .*$/s, (fault, scalar) => `${scalar} ${reworded(fault)}`);
  const [, variable = '', path = '', fault = ''] = match;
  const missing = missingKey.map((form) => form.exec(fault)?.[1]).find(Boolean);
  const keys = [variable === 'input' ? '' : variable, ...keysIn(path), missing ?? ''].filter((key) => key !== '');
  return `${keys.join('.') || variable}: ${missing ? 'is required' : reworded(fault)}`;
}

const keysIn = (path = ''): string[] => path.split(/[.[\]]+/).filter((key) => key !== '');

function reworded(fault: string): string {
  return rewordings.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), fault);
}
