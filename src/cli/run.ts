import { actingAs } from '../database/deadline.ts';

/** Runs a command of the operator. A failure is printed to stderr as a message without a stack, and sets the exit code to 1. */
export async function run(command: () => Promise<void>): Promise<void> {
  try {
    await actingAs({ kind: 'operator', id: null, address: null }, command);
  } catch (error) {
    console.error(messageOf(error));
    process.exitCode = 1;
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const issues = 'issues' in error && Array.isArray(error.issues) ? error.issues : [];
  const lines = issues.length > 1 ? issues.map((issue: { message: string }) => issue.message) : [error.message];
  return lines.map((line) => `error: ${line}`).join('\n');
}
