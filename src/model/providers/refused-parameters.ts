import { isObject, parsedJson } from '../../core/json.ts';
import { currentSpan } from '../../core/tracing.ts';
import type { ProviderResponse } from './provider-request.ts';
import { refusalIn } from './refusals.ts';
import { type Json, objectOr, objectsIn } from './wire.ts';

/** What was changed in requests because a model refused it, by parameter. */
export type Refused = Map<string, Change>;
type Change = (body: Json) => Json | null;

/**
 * Sends requests to one model by `send`. A parameter that the model refuses (400 or 422 names it) is left out, and the
 * request is sent again; once that works, `refused` remembers it. Other failures are returned as they are.
 */
export const omitRefusedParameters =
  <Address, Request extends { body?: unknown } | undefined, Received extends ProviderResponse>(
    refused: Refused,
    send: (address: Address, request: Request) => Promise<Received>,
  ) =>
  async (address: Address, request: Request): Promise<Received | Response> => {
    let body = refused.size > 0 ? withoutRefused(refused, bodyOf(request)) : null;
    const tried: Refused = new Map();
    for (;;) {
      const response = await send(address, body ? { ...request, body: JSON.stringify(body) } : request);
      if (response.ok && tried.size > 0) {
        for (const [name, change] of tried) refused.set(name, change);
        currentSpan()?.set({ 'parley.left_out_parameters': [...tried.keys()] });
      }
      if (response.status !== 400 && response.status !== 422) return response;
      const sent = body ?? bodyOf(request);
      if (!sent) return response;
      const said = await response.text();
      const next = findRefused(sent, said);
      const { status, statusText, headers } = response;
      if (!next || tried.has(next.name)) return new Response(said, { status, statusText, headers: plain(headers) });
      body = next.body;
      // A number that is too large for this conversation only is no parameter that the model refuses.
      if (refusalIn(status, said) !== 'context_overflow') tried.set(next.name, next.change);
    }
  };

/** The body of a request, if it is an object of JSON. */
function bodyOf(request: { body?: unknown } | undefined): Json | null {
  const body = typeof request?.body === 'string' ? parsedJson(request.body) : null;
  return isObject(body) ? body : null;
}

const withoutRefused = (refused: Refused, body: Json | null): Json | null =>
  body && [...refused.values()].reduce((changed, change) => change(changed) ?? changed, body);

/** Headers of a body that is read: no longer compressed. */
const plain = (headers: ProviderResponse['headers']): Headers => {
  const changed = new Headers([...headers]);
  for (const name of ['content-length', 'content-encoding']) changed.delete(name);
  return changed;
};

function findRefused(body: Json, said: string): { name: string; body: Json; change: Change } | null {
  for (const { name, isNamed, change } of parameters) {
    const changed = isNamed.test(said) ? change(body, said) : null;
    if (changed) return { name, body: changed, change: (later) => change(later, said) };
  }
  // Many endpoints refuse a schema without a word of it.
  const changed = refusalIn(400, said) ? null : withoutFormat(body);
  return changed && { name: 'response_format', body: changed, change: withoutFormat };
}

const isUnsupported =
  /support|unknown|unrecogni[sz]ed|unexpected|extra|not (permitted|allowed|enabled|available|implemented)|requires --|disabled/i;

/** What a request can do without, how errors name it, and the request without it; null if it has none. */
const parameters: {
  name: string;
  isNamed: { test(said: string): boolean };
  change(body: Json, said: string): Json | null;
}[] = [
  { name: 'stream_options', isNamed: /stream_options|include_usage/i, change: without('stream_options') },
  { name: 'max_tokens', isNamed: /max_(completion_|output_)?tokens|maxOutputTokens/i, change: withOtherLimit },
  { name: 'temperature', isNamed: /temperature/i, change: without('temperature') },
  {
    name: 'response_format',
    isNamed:
      /response[_ ]?(format|schema|mime_?type)|json[_ ](schema|mode|object)|output_(format|config)|structured output/i,
    change: withoutFormat,
  },
  { name: 'dimensions', isNamed: /dimensions|matryoshka/i, change: without('dimensions') },
  { name: 'encoding_format', isNamed: /encoding_format/i, change: without('encoding_format') },
  { name: 'tool_choice', isNamed: /tool[_ ]choice/i, change: without('tool_choice') },
  {
    name: 'tools',
    isNamed: { test: (said) => /\btools?\b|tool[_ ]choice|function[_ ]?call/i.test(said) && isUnsupported.test(said) },
    change: (body) => (body.tools ? omit(body, 'tools', 'tool_choice', 'toolConfig') : null),
  },
  {
    name: 'system',
    isNamed:
      /system.{0,20}(role|message|prompt|instruction).{0,40}not|role.{0,20}system|developer instruction|only user and assistant roles/i,
    change: withoutSystem,
  },
];

function omit(body: Json, ...names: string[]): Json {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

/** Leaves out a parameter, which Google has within `generationConfig`. */
function without(...names: string[]): Change {
  return (body) => {
    const config = objectOr(body.generationConfig);
    if (names.some((name) => body[name] !== undefined)) return omit(body, ...names);
    if (!names.some((name) => config[name] !== undefined)) return null;
    return { ...body, generationConfig: omit(config, ...names) };
  };
}

/** Newer models of OpenAI name it otherwise; Anthropic needs one, and names the largest. */
function withOtherLimit(body: Json, said: string): Json | null {
  const { max_tokens: limit } = body;
  const largest = Number(/max_tokens: \d+ > (\d+)/.exec(said)?.[1]);
  if (typeof limit === 'number' && largest > 0) return limit > largest ? { ...body, max_tokens: largest } : null;
  if (
    limit !== undefined &&
    /max_completion_tokens/.test(said) &&
    !/max_completion_tokens.{0,10} is too large/.test(said)
  )
    return { ...omit(body, 'max_tokens'), max_completion_tokens: limit };
  return without('max_tokens', 'max_completion_tokens', 'maxOutputTokens')(body);
}

/** The format is described in the prompt as well. */
function withoutFormat(body: Json): Json | null {
  const tools = objectsIn(body.tools);
  // A tool in whose place the SDK asks Anthropic for JSON.
  if (tools.length === 1 && tools[0]?.name === 'json') return omit(body, 'tools', 'tool_choice');
  return without('response_format', 'output_format', 'output_config', 'responseSchema', 'responseMimeType')(body);
}

/** Puts the instructions before the person's first words. */
function withoutSystem(body: Json): Json | null {
  const parts = objectsIn(objectOr(body.systemInstruction).parts);
  const [first, ...others] = objectsIn(body.contents);
  if (parts.length > 0 && first)
    return {
      ...omit(body, 'systemInstruction'),
      contents: [{ ...first, parts: [...parts, ...objectsIn(first.parts)] }, ...others],
    };
  const messages = objectsIn(body.messages);
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => String(content));
  const [asked, ...later] = messages.filter(({ role }) => role !== 'system');
  if (system.length === 0 || !asked) return null;
  const content = Array.isArray(asked.content)
    ? [{ type: 'text', text: system.join('\n\n') }, ...asked.content]
    : [...system, asked.content].join('\n\n');
  return { ...body, messages: [{ ...asked, content }, ...later] };
}
