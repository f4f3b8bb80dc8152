import type { OpenAICompatibleChatLanguageModel } from '@ai-sdk/openai-compatible';
import { APICallError, type LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { parsedJson } from '../../core/json.ts';
import type { ProviderResponse, Send } from './provider-request.ts';
import { endedEarly, type ReplyPart, type Usage } from './reply-part.ts';
import { eventsOf } from './tolerant-fetch.ts';
import { errorBody, type Json, numberIn, objectOr, objectsIn, type Wire } from './wire.ts';

type Endpoint = {
  url: string;
  headers: Record<string, string>;
  model: Pick<OpenAICompatibleChatLanguageModel, 'prepareRequest'>;
  send: Send<ProviderResponse>;
  wire: Wire;
};

/**
 * Streams a reply of a model that is offered no tools. The SDK makes the request; what it costs to read a reply, a
 * millisecond and more for each and 25 µs for each token, is not paid. Unless it is followed, words that arrive
 * together are one part, so that what each part costs is paid once for them.
 */
export async function* streamPlainReply(
  { url, headers, model, send, wire }: Endpoint,
  options: LanguageModelV4CallOptions,
  { isFollowed }: Following,
): AsyncGenerator<ReplyPart, void> {
  const prepared = await model.prepareRequest(options);
  const body = { ...prepared.body, stream: true, stream_options: { include_usage: true } };
  const { abortSignal: signal } = options;
  const reply = createReader(isFollowed);
  try {
    const request = { method: 'POST' as const, headers, body: JSON.stringify(body), ...(signal && { signal }) };
    const response = await send(url, request);
    if (!response.ok) throw await refusalOf(response, wire, { url, requestBodyValues: body });
    for await (const events of eventsOf(response, wire)) yield* reply.read(events);
  } catch (error) {
    if (signal?.aborted) return;
    yield { type: 'error', error: unreached(error, { url, requestBodyValues: body }) };
    return;
  }
  yield* reply.end();
}

/** Whether somebody reads the words of a reply as they come. */
export type Following = { isFollowed: boolean };

type Call = { id: string; name: string; input: string };

function createReader(isFollowed: boolean) {
  const calls: Call[] = [];
  let finish: string | undefined;
  let usage: Json | undefined;
  let isRefused = false;
  const say = (text: string, said: ReplyPart[]): void => {
    const last = said.at(-1);
    if (!isFollowed && last?.type === 'text-delta') last.text += text;
    else said.push({ type: 'text-delta', text });
  };
  const readEvent = ({ error, usage: given, choices }: Json, said: ReplyPart[]): void => {
    if (error) return void said.push({ type: 'error', error });
    if (given) usage = given as Json;
    const [choice] = objectsIn(choices);
    if (typeof choice?.finish_reason === 'string') finish = choice.finish_reason;
    const { content, refusal, tool_calls: named } = objectOr(choice?.delta);
    const words = wordsIn(content);
    if (words) say(words, said);
    if (typeof refusal === 'string' && refusal) {
      isRefused = true;
      say(refusal, said);
    }
    for (const call of objectsIn(named)) {
      const { name, arguments: input } = objectOr(call.function);
      const known = (calls[Number(call.index)] ??= { id: String(call.id ?? 'call'), name: '', input: '' });
      if (typeof name === 'string') known.name = name;
      if (typeof input === 'string') known.input += input;
      said.push({ type: 'tool-input-start' });
    }
  };
  return {
    /** What events that arrived together say. */
    read(events: Json[]): ReplyPart[] {
      const said: ReplyPart[] = [];
      for (const event of events) readEvent(event, said);
      return said;
    },
    /** No tools were offered: none of the calls can be made. */
    *end(): Generator<ReplyPart, void> {
      for (const { id, name, input } of calls.filter(Boolean))
        yield { type: 'tool-call', toolCallId: id, toolName: name, input: parsedJson(input) ?? input };
      if (finish === undefined) {
        yield { type: 'error', error: endedEarly() };
      } else {
        const finishReason = finish === 'stop' && isRefused ? 'content-filter' : (reasons.get(finish) ?? 'other');
        yield { type: 'finish', finishReason, rawFinishReason: finish, usage: usageIn(usage) };
      }
    },
  };
}

const reasons = new Map(
  Object.entries({
    stop: 'stop',
    length: 'length',
    content_filter: 'content-filter',
    function_call: 'tool-calls',
    tool_calls: 'tool-calls',
  }),
);

function wordsIn(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = objectsIn(content).filter(({ type, text }) => type === 'text' && typeof text === 'string');
  return texts.map(({ text }) => text).join('');
}

function usageIn(usage: Json | undefined): Usage {
  if (!usage) return { inputTokenDetails: {} };
  const cached = numberIn(objectOr(usage.prompt_tokens_details).cached_tokens) ?? 0;
  return {
    inputTokens: numberIn(usage.prompt_tokens) ?? 0,
    outputTokens: numberIn(usage.completion_tokens) ?? 0,
    inputTokenDetails: { cacheReadTokens: cached },
    raw: usage,
  };
}

type Asked = { url: string; requestBodyValues: object };

/** A response that is an error, as the SDK throws it. */
async function refusalOf(response: ProviderResponse, wire: Wire, asked: Asked): Promise<APICallError> {
  const type = response.headers.get('content-type') ?? '';
  const responseBody = errorBody(await response.text(), type, wire);
  const { message, type: kind, param, code } = objectOr(objectOr(parsedJson(responseBody)).error);
  const hasMessage = typeof message === 'string';
  return new APICallError({
    ...asked,
    message: hasMessage ? message : response.statusText,
    statusCode: response.status,
    responseHeaders: Object.fromEntries(response.headers),
    responseBody,
    ...(hasMessage && { data: { error: { message, type: kind, param, code } } }),
  });
}

/**
 * A connection that failed, which has a code: the same attempt may succeed when it is made again, but not if it was the
 * request that could not be sent.
 */
function unreached(error: unknown, asked: Asked): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const isRetryable = !/^UND_ERR_(?:INVALID_ARG|NOT_SUPPORTED|REQ_CONTENT_LENGTH_MISMATCH)$/.test(String(error.code));
  return new APICallError({ ...asked, message: `Cannot connect to API: ${error.message}`, cause: error, isRetryable });
}
