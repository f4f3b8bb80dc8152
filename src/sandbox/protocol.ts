/** What a child is asked: a function of a module. Its bytes follow on standard input, so that no copy of them is made for the message. */
export type TaskMessage = { id: number; module: string; name: string; input: object; byteLength: number | null };

/** What a child answers: how far it is, what it found, or why it found nothing (`fault`: the reader's own, for the log). */
export type ReplyMessage =
  | { id: number; progress: { done: number; total: number } }
  | { id: number; result: unknown }
  | { id: number; failure: string }
  | { id: number; fault: { message: string; stack?: string | undefined } };
