import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { invalid, ParleyError } from '../core/errors.ts';
import { databaseError } from '../database/errors.ts';

/**
 * What went wrong, as a caller may know it, whatever threw it: a rule, the database, a document that does not fit the
 * schema. The unforeseen is logged and becomes 500 `internal_error`.
 */
export function failureOf(error: unknown, log: Pick<Logger, 'error'>): ParleyError {
  const cause = causeOf(error);
  if (cause instanceof ParleyError) return cause;
  if (cause instanceof RangeError) return invalid('The document nests too deeply.');
  const known = databaseError(cause);
  if (known) return known;
  // Without a path the operation never ran: it does not parse, does not fit the schema, or a variable has a wrong value.
  if (cause instanceof GraphQLError && !(error as GraphQLError).path) return invalid(brief(readable(cause.message)));
  log.error({ err: cause }, 'unexpected failure');
  return new ParleyError('internal_error', 'Something went wrong on our side.', { cause });
}

function causeOf(error: unknown): unknown {
  let cause = error;
  while (cause instanceof GraphQLError && !(cause instanceof ParleyError) && cause.originalError) {
    cause = cause.originalError;
  }
  return cause instanceof GraphQLError && !(cause instanceof ParleyError) ? error : cause;
}

/** How the two executors, graphql's own and yoga's, say that a variable has a wrong value. */
const wrongVariable = [
  /^Variable "\$(\w+)" has invalid value(?: at ([\w.[\]]+))?: (.*)$/s,
  /^Variable "\$(\w+)" got invalid value .*?(?: at "\w+\.?([\w.[\]]*)")?; (.*)$/s,
];
/** The same two, of a key that is missing. */
const missingKey = [
  /^Expected value of type "\w+" to include required field "(\w+)"/,
  /^Field "(\w+)" of required type "[^"]+" was not provided/,
];

/** What a caller sent comes back in such messages, however long it was. */
const brief = (text: string): string => (text.length > 500 ? `${text.slice(0, 500).toWellFormed()}…` : text);

/** What a scalar or graphql itself says of a value, in the words of the service. */
const plainWords: [RegExp, string][] = [
  [/^Expected (?:value of )?non-null(?:able)? type "\S+" not to be null\.$/, 'must not be null'],
  [/^Value is not a valid HexColorCode: .*$/s, 'must be a hex color such as #2563eb'],
  [
    /^Int cannot represent non 32-bit signed integer value: .*$/s,
    'must be a whole number from -2147483648 to 2147483647',
  ],
  // A scalar shows the value that it refuses, also when that is an object.
  [/: \[object \w+\].*$/s, ''],
];

/**
 * "Variable "$input" has invalid value at .sources[0].type: Value …" → "sources.0.type: Value …". The variable is named
 * unless it is the input of a mutation, whose keys callers know.
 */
function readable(message: string): string {
  const match = wrongVariable.map((form) => form.exec(message)).find(Boolean);
  if (!match) return message;
  const [, variable = '', place = '', fault = ''] = match;
  const missing = missingKey.map((form) => form.exec(fault)?.[1]).find(Boolean);
  const parts = [variable === 'input' ? '' : variable, ...place.split(/[.[\]]+/), missing ?? ''];
  const keys = parts.filter((part) => part !== '');
  const words = plainWords.reduce((said, [theirs, ours]) => said.replace(theirs, ours), fault);
  return `${keys.join('.') || variable}: ${missing ? 'is required' : words}`;
}
