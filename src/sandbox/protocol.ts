/**
 * A task for a child: a function of a module. Its bytes follow on standard input, which saves copying them into the
 * message.
 */
export type TaskMessage = { id: number; module: string; name: string; input: object; byteLength: number | null };

/**
 * A child's reply: its progress, its result, or why there is none (`fault`: an error of the parser itself, for the
 * log).
 */
export type ReplyMessage =
  | { id: number; progress: { done: number; total: number } }
  | { id: number; result: unknown }
  | { id: number; failure: string }
  | { id: number; fault: { message: string; stack?: string | undefined } };
