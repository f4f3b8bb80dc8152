import { redact } from '../../core/redact.ts';
import { actingAs } from '../../database/deadline.ts';

/**
 * Runs a command of the operator. A failure is printed to stderr as a message without a stack, and sets the exit code
 * to 1.
 */
export async function run(command: () => Promise<void>): Promise<void> {
  try {
    await actingAs({ kind: 'operator', id: null, address: null }, command);
  } catch (error) {
    console.error(messageOf(error));
    process.exitCode = 1;
  }
}

/** Prints how a command is used; without `--help`, it was used otherwise, and fails. */
export function printUsage(usage: string, isHelp = false): void {
  console.error(usage);
  process.exitCode = isHelp ? 0 : 1;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const issues = 'issues' in error && Array.isArray(error.issues) ? error.issues : [];
  const lines = issues.length > 1 ? issues.map((issue: { message: string }) => issue.message) : [withCauses(error)];
  return lines.map((line) => `error: ${line}`).join('\n');
}

/** The operator has no log of a command: its output says what caused the failure, unless the message does. */
function withCauses(error: Error): string {
  let said = error.message;
  let next = causeOf(error);
  for (let depth = 0; next instanceof Error && depth < 5; depth++) {
    const { message, code } = next as NodeJS.ErrnoException;
    // Of several addresses that all refused, Node's error has a code only.
    const why = redact(message || code || '');
    if (!said.includes(why)) said = `${said.replace(/\.$/, '')}: ${why}`;
    next = causeOf(next);
  }
  return said;
}

const causeOf = (error: Error): unknown => error.cause ?? (error as { originalError?: unknown }).originalError;
