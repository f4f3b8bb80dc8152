import { inSources } from '../../bundle/positions.ts';
import { redact } from '../../core/redact.ts';

type ErrorDescription = {
  type: string;
  message: string;
  code?: string | number;
  stack?: string;
  cause?: ErrorDescription;
};

/**
 * What may be logged of an error: its name, code, message, stack frames and causes. Other properties are dropped, since
 * drivers attach whole rows, requests and passwords to their errors.
 */
export function describeError(error: unknown, depth = 0): ErrorDescription {
  if (!(error instanceof Error)) return { type: typeof error, message: redact(String(error)) };
  const { code, originalError } = error as { code?: unknown; originalError?: unknown };
  const cause = error.cause ?? originalError;
  return {
    type: error.constructor.name,
    message: redact(messageOf(error)),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(error.stack && { stack: framesOf(error.stack) }),
    ...(cause instanceof Error && depth < 3 && { cause: describeError(cause, depth + 1) }),
  };
}

/** Prisma prints the call with its arguments first; the reason is the last line. */
function messageOf(error: Error): string {
  if (!error.message.includes('invocation')) return error.message;
  return error.message.trimEnd().split('\n').at(-1) ?? '';
}

/** Keeps only the frames: the stack repeats the message, unredacted. */
function framesOf(stack: string): string {
  const frames = stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 15)
    .map((line) => line.trim());
  return inSources(frames.join('\n'));
}
