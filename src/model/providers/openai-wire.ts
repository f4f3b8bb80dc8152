import {
  argumentsIn,
  errorIn,
  type Json,
  messageOfError,
  numberIn,
  numbersIn,
  objectOr,
  objectsIn,
  textIn,
  type Wire,
} from './wire.ts';

/** The chunks and responses of OpenAI's chat completions. */
export const openAiWire: Wire = {
  event(given) {
    const read = readBody(given, (choice) => ({ delta: messageIn(choice.delta ?? choice.message) }));
    return 'error' in read || read.usage || (read.choices as Json[]).length > 0 ? read : null;
  },
  whole: (given) => readBody(given, (choice) => ({ message: messageIn(choice.message ?? choice.delta) })),
  events: (given) => [openAiWire.event(given)],
  end: {
    event: { choices: [{ delta: {}, finish_reason: 'stop' }] },
    isSaidBy: ({ choices }) => objectsIn(choices).some(({ finish_reason }) => finish_reason),
  },
};

function readBody(given: Json, read: (choice: Json) => Json): Json {
  const error = errorIn(given);
  if (error) return { error: { ...error, message: messageOfError(error) } };
  return {
    id: textIn(given.id),
    created: numberIn(given.created),
    model: textIn(given.model),
    choices: objectsIn(given.choices).map((choice) => ({
      ...read(choice),
      finish_reason: reasonIn(choice.finish_reason),
    })),
    usage: numbersIn(given.usage),
  };
}

/** The names of other protocols, which gateways pass on, for why a reply ended. */
const reasons = new Map(
  Object.entries({
    stop: ['stop', 'end_turn', 'stop_sequence', 'eos', 'eos_token'],
    length: ['length', 'max_tokens', 'max_output_tokens', 'model_length'],
    tool_calls: ['tool_calls', 'tool_use'],
    function_call: ['function_call'],
    content_filter: ['content_filter', 'safety', 'recitation', 'blocklist', 'prohibited_content', 'spii'],
  }).flatMap(([reason, names]) => names.map((name) => [name, reason] as const)),
);

/** Why a reply ended; some servers say an empty text with each piece before its end. */
function reasonIn(value: unknown): string | undefined {
  const reason = textIn(value);
  return reason ? (reasons.get(reason.toLowerCase()) ?? reason) : undefined;
}

function messageIn(value: unknown): Json {
  const { content, refusal, reasoning, reasoning_content, tool_calls, function_call } = objectOr(value);
  // The form of one call that OpenAI had before tools, which some servers leave empty.
  const { name, arguments: given } = objectOr(function_call);
  const older = name || (given && argumentsIn(given)) ? objectsIn([function_call]) : [];
  const calls = objectsIn(tool_calls).length > 0 ? objectsIn(tool_calls) : older;
  return {
    role: 'assistant',
    content: Array.isArray(content) ? objectsIn(content) : textIn(content),
    refusal: textIn(refusal),
    reasoning: textIn(reasoning),
    reasoning_content: textIn(reasoning_content),
    ...((Array.isArray(tool_calls) || calls.length > 0) && { tool_calls: calls.map(callIn) }),
  };
}

function callIn(call: Json, position: number): Json {
  const { name, arguments: given } = objectOr(call.function ?? call);
  return {
    index: placeIn(call.index) ?? position,
    id: textIn(call.id),
    type: 'function',
    function: { name: textIn(name), arguments: argumentsIn(given) },
    ...(call.extra_content !== undefined && { extra_content: call.extra_content }),
  };
}

/** Calls are kept in a list by their place, in which a large one would leave as many holes. */
function placeIn(index: unknown): number | undefined {
  return Number.isInteger(index) && (index as number) >= 0 && (index as number) < 1_000 ? (index as number) : undefined;
}
