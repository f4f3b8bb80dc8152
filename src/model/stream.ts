import { streamText } from 'ai';
import { type Asked, callOptions, type Generated, readReply } from './ask.ts';
import { modelFailure } from './failures.ts';
import { writeAlong } from './stream-text.ts';
import type { Reply, ReplyRequest } from './types.ts';

/**
 * Asks a model for a reply and tells each piece of its content as it comes. When the request's signal stops it, the
 * reply is what was said so far, without calls. Throws 502 `model_error` and 504 `model_timeout`.
 */
export async function streamModel(
  asked: Asked,
  request: ReplyRequest,
  onText: (piece: string) => void,
): Promise<Reply> {
  const timeout = AbortSignal.timeout(asked.timeoutMs);
  const { signal } = request;
  const text = writeAlong(request, onText);
  const generated: Generated = { text: '', toolCalls: [], finishReason: 'other', usage: { inputTokenDetails: {} } };
  try {
    const options = callOptions(asked, request, signal ? AbortSignal.any([timeout, signal]) : timeout);
    // Failures come as parts of the stream; without `onError` the SDK would also write them to the console.
    const { stream } = streamText({ ...options, onError: () => {} });
    for await (const part of stream) {
      if (part.type === 'text-delta') text.push(part.text);
      else if (part.type === 'tool-call') generated.toolCalls.push(part);
      else if (part.type === 'error') throw part.error;
      else if (part.type === 'finish') Object.assign(generated, { ...part, usage: part.totalUsage });
    }
    if (timeout.aborted && generated.finishReason === 'other') throw timeout.reason;
    if (signal?.aborted) return text.stopped();
    return text.end(readReply(request, { ...generated, text: text.raw() }));
  } catch (error) {
    if (signal?.aborted && !timeout.aborted) return text.stopped();
    throw modelFailure(error, { timedOut: timeout.aborted, stopped: false, secret: asked.secret });
  }
}
