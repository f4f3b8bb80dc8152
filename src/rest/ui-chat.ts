import { z } from 'zod';
import { invalid } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { turnInput } from './records/messages.ts';

/** A key of a part that is read if it has this type, and ignored otherwise. */
const read = (type: string, description: string) => z.unknown().optional().meta({ type, description });

const part = z
  .looseObject({
    type: z.string().meta({
      description:
        "`text`, `file`, `tool-` followed by a tool's name, `dynamic-tool` or `step-start`. Other types are ignored.",
    }),
    text: read('string', 'The text of a `text` part.'),
    url: read('string', 'The URL of a `file` part, or its content as a `data:` URL.'),
    mediaType: read('string', 'The media type of a `file` part.'),
    filename: read('string', 'The name of a `file` part.'),
    toolName: read('string', 'The tool name of a `dynamic-tool` part.'),
    toolCallId: read('string', 'ID of the tool call, as given by the model.'),
    state: read('string', 'The state of a tool call: `output-available` and `output-error` have its result.'),
    output: z.unknown().optional().meta({ description: 'The output of a tool: a string or any JSON.' }),
    errorText: read('string', 'The reason a tool failed.'),
  })
  .meta({ id: 'UIMessagePart', description: 'A part of an AI SDK message.' });
const uiMessage = z
  .looseObject({
    id: z.string().optional().meta({ description: "The page's own ID for the message." }),
    role: z.string().meta({
      description: "`user`, or `assistant` for a reply. The last message's role counts.",
    }),
    parts: z.array(part).meta({ description: 'The parts of the message, in order.' }),
    metadata: z.unknown().optional().meta({ description: 'Metadata to store with the message, if it is an object.' }),
  })
  .meta({ id: 'UIMessage', description: 'A message in the format of AI SDK chats.' });
type Part = z.output<typeof part>;
type UiMessage = z.output<typeof uiMessage>;

/** The body that the AI SDK's `DefaultChatTransport` sends; its page may add the operation's own keys. */
export const uiChatInput = turnInput
  .omit({ message: true })
  .extend({
    id: z
      .string()
      .min(1)
      .max(255)
      .meta({ description: "The page's own ID for the conversation, generated when it is new." }),
    trigger: z.enum(['submit-message', 'regenerate-message']).meta({
      description: 'Whether to submit the last message or regenerate the reply.',
    }),
    messageId: z.string().nullish().meta({
      description:
        'ID of the reply to regenerate. Defaults to the last one. Rejected when a user message is submitted.',
    }),
    messages: z.array(uiMessage).min(1).max(10_000).meta({
      description:
        'All messages of the conversation. Only the last one is new: a user message, or a reply with tool results.',
    }),
  })
  .meta({
    examples: [
      {
        id: 'help',
        trigger: 'submit-message',
        messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'When are you open?' }] }],
      },
    ],
  });
type UiChat = z.output<typeof uiChatInput>;

/** Whether a body comes from the AI SDK: it has a `trigger`, and its messages have `parts`. */
export function isUiChat(body: unknown): boolean {
  const { trigger, messages } = (body ?? {}) as { trigger?: unknown; messages?: unknown };
  if (typeof trigger !== 'string' || !Array.isArray(messages)) return false;
  return messages.length > 0 && messages.every((message) => Array.isArray(message?.parts));
}

/**
 * Converts such a request to the graph's input. A page sends the whole conversation, of which only the last message is
 * new; its `id` is the page's name for the conversation. Throws 400 for what is not supported.
 */
export function readUiChat({ id: chat, trigger, messageId, messages, ...rest }: UiChat) {
  if (trigger === 'regenerate-message') {
    // Ids of user messages are the page's own: only ids of replies are known here.
    const regenerate = messageId && /^msg_[0-9a-z]{26}$/.test(messageId) ? messageId : 'last';
    return { ...rest, chat, regenerate };
  }
  const last = messages.at(-1) as UiMessage;
  if (last.role === 'assistant') return { ...rest, chat, messages: resultsIn(last) };
  if (last.role !== 'user') throw invalid('messages: the last one must be from the user, or contain tool results');
  if (messageId)
    throw invalid('messageId: a message that was sent cannot be changed: send another, or begin a new chat');
  return { ...rest, chat, messages: [{ content: textOf(last), ...extrasOf(last) }] };
}

const textOf = ({ parts }: UiMessage): string =>
  parts.flatMap((each) => (each.type === 'text' && typeof each.text === 'string' ? [each.text] : [])).join('\n');

function extrasOf({ parts, metadata }: UiMessage) {
  const attachments = parts.filter(({ type }) => type === 'file').map(attachmentOf);
  return {
    ...(isObject(metadata) && { metadata }),
    ...(attachments.length > 0 && { attachments }),
  };
}

/** Converts a file: a URL, or its content in a `data:` URL. */
function attachmentOf({ url, mediaType, filename }: Part) {
  const mimeType = typeof mediaType === 'string' ? mediaType : null;
  const type = /^(image|audio)\//.exec(mimeType ?? '')?.[1] ?? 'file';
  const details = { type, mimeType, name: typeof filename === 'string' ? filename : null };
  const address = typeof url === 'string' ? url : '';
  const [, isBase64, data] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(address) ?? [];
  if (data === undefined) return { ...details, url: address };
  if (isBase64) return { ...details, data };
  try {
    return { ...details, data: Buffer.from(decodeURIComponent(data)).toString('base64') };
  } catch {
    throw invalid('messages: the URL of a file must be data:<media type>;base64,<content>, or an address');
  }
}

/** Returns the results of client-side tools in the reply's last step. */
function resultsIn({ parts }: UiMessage) {
  const step = parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1);
  const results = step.flatMap((each) => {
    const name = each.type === 'dynamic-tool' ? each.toolName : /^tool-(.+)$/.exec(each.type)?.[1];
    if (typeof name !== 'string' || typeof each.toolCallId !== 'string' || each.providerExecuted) return [];
    const failed = each.state === 'output-error';
    if (!failed && each.state !== 'output-available') return [];
    const output = failed ? `It failed: ${String(each.errorText)}` : each.output;
    const content = typeof output === 'string' ? output : JSON.stringify(output ?? null);
    return [{ role: 'tool', name, toolCallId: each.toolCallId, content }];
  });
  if (results.length === 0)
    throw invalid('messages: the last one must be a new message from the user, or contain the result of a tool');
  return results;
}
