import { InvalidResponseDataError } from '@ai-sdk/provider';

/** What a streamed reply consists of. */
export type ReplyPart =
  | { type: 'text-delta'; text: string }
  | { type: 'tool-input-start' }
  | { type: 'tool-call'; toolCallId: string; toolName: string; input: unknown }
  | { type: 'error'; error: unknown }
  | { type: 'finish'; finishReason: string; rawFinishReason?: string | undefined; usage: Usage };

export type Usage = {
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  inputTokenDetails: { cacheReadTokens?: number | undefined };
  /** As the provider reported it. */
  raw?: unknown;
};

/** The error of a stream that ends without saying that it does. */
export const endedEarly = (): InvalidResponseDataError =>
  new InvalidResponseDataError({ data: undefined, message: 'Response stream ended without a finish reason.' });
