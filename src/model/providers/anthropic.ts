import { createAnthropic } from '@ai-sdk/anthropic';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelSettings } from '../../config/models.ts';
import { isObject } from '../../core/json.ts';
import { tolerantFetch } from './tolerant-fetch.ts';
import {
  argumentsIn,
  errorIn,
  type Json,
  messageOfError,
  numbersIn,
  objectOr,
  objectsIn,
  textIn,
  type Wire,
} from './wire.ts';

/** A model served by Anthropic's Messages API. */
export function anthropicModel({ baseUrl, model, apiKey, headers = {} }: ModelSettings): LanguageModelV4 {
  // The SDK reads environment variables for any option left out.
  const baseURL = baseUrl ?? 'https://api.anthropic.com/v1';
  return createAnthropic({ baseURL, apiKey: apiKey ?? '', headers, fetch: tolerantFetch(anthropicWire) })(model);
}

/** The events and messages of Anthropic's Messages API. */
const anthropicWire: Wire = {
  event(given) {
    const error = errorIn(given);
    if (error) return { type: 'error', error: { type: textIn(error.type) ?? 'error', message: messageOfError(error) } };
    const { type, index } = given;
    if (type === 'message_start') return { type, message: messageIn(objectOr(given.message)) };
    if (type === 'message_delta') {
      const { stop_reason, stop_sequence } = objectOr(given.delta);
      const delta = { stop_reason: textIn(stop_reason), stop_sequence: textIn(stop_sequence) };
      return { type, delta, usage: usageAtEnd(given.usage) };
    }
    if (type === 'message_stop' || type === 'ping') return { type };
    if (typeof index !== 'number') return null;
    if (type === 'content_block_stop') return { type, index };
    const block = type === 'content_block_start' ? blockIn(objectOr(given.content_block)) : null;
    if (block) return { type, index, content_block: block };
    const delta = type === 'content_block_delta' ? deltaIn(objectOr(given.delta)) : null;
    return delta && { type, index, delta };
  },
  whole(given) {
    const error = errorIn(given);
    if (error) return given;
    return {
      ...messageIn(given),
      type: 'message',
      content: objectsIn(given.content).flatMap((block) => blockIn(block) ?? []),
      stop_reason: textIn(given.stop_reason),
      stop_sequence: textIn(given.stop_sequence),
    };
  },
  events(given) {
    if (errorIn(given)) return [anthropicWire.event(given)];
    const { content, stop_reason, stop_sequence, usage } = anthropicWire.whole(given);
    const blocks = (content as Json[]).flatMap((block, index) => {
      const { start, delta } = asEvents(block);
      return [
        { type: 'content_block_start', index, content_block: start },
        ...(delta ? [{ type: 'content_block_delta', index, delta }] : []),
        { type: 'content_block_stop', index },
      ];
    });
    return [
      { type: 'message_start', message: messageIn(given) },
      ...blocks,
      { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage },
      { type: 'message_stop' },
    ];
  },
};

const messageIn = ({ id, model, role, usage }: Json): Json => ({
  id: textIn(id),
  model: textIn(model),
  role: textIn(role),
  usage: usageIn(usage),
});

/** The SDK takes no usage without the first count at the start, and without the other afterwards. */
const usageIn = (value: unknown): Json => ({ input_tokens: 0, output_tokens: 0, ...present(numbersIn(value)) });
const usageAtEnd = (value: unknown): Json => ({ output_tokens: 0, ...present(numbersIn(value)) });
const present = (usage: Json = {}): Json =>
  Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== undefined));

/** A block as the events that stream it. */
function asEvents(block: Json): { start: Json; delta: Json | null } {
  const { type, text, thinking, input } = block;
  if (type === 'text') return { start: { type, text: '' }, delta: { type: 'text_delta', text } };
  if (type === 'thinking') return { start: { type, thinking: '' }, delta: { type: 'thinking_delta', thinking } };
  if (type !== 'tool_use') return { start: block, delta: null };
  return { start: { ...block, input: {} }, delta: { type: 'input_json_delta', partial_json: argumentsIn(input) } };
}

function blockIn({ type, text, thinking, signature, id, name, input, data }: Json): Json | null {
  if (type === 'text') return { type, text: textIn(text) ?? '' };
  if (type === 'thinking') return { type, thinking: textIn(thinking) ?? '', signature: textIn(signature) ?? '' };
  if (type === 'redacted_thinking') return { type, data: textIn(data) ?? '' };
  const called = type === 'tool_use' && textIn(name);
  return called ? { type, id: textIn(id) ?? called, name: called, input: isObject(input) ? input : {} } : null;
}

function deltaIn({ type, text, thinking, signature, partial_json: json }: Json): Json | null {
  if (type === 'text_delta') return { type, text: textIn(text) ?? '' };
  if (type === 'thinking_delta') return { type, thinking: textIn(thinking) ?? '' };
  if (type === 'signature_delta') return { type, signature: textIn(signature) ?? '' };
  return type === 'input_json_delta' ? { type, partial_json: argumentsIn(json) ?? '' } : null;
}
