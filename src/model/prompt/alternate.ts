import type { ChatMessage } from './history.ts';

/** Stands where a protocol requires a message that does not exist. */
const nothing = '…';

/**
 * Brings messages into the one order that all providers accept, the strict ones included: the first is a person's, a
 * person's and the agent's alternate, results are followed by the agent's words, the last is not the agent's, and none
 * is empty. A failed turn leaves two messages of the person in a row; a shortened history begins anywhere.
 */
export function alternate(messages: ChatMessage[]): ChatMessage[] {
  const ordered: ChatMessage[] = [];
  for (const message of messages.flatMap(filled)) {
    const last = ordered.at(-1);
    const joined = last && join(last, message);
    if (joined) ordered[ordered.length - 1] = joined;
    else if (!last && message.role !== 'user') ordered.push(said(nothing), message);
    else if (last?.role === 'tool' && message.role === 'user') ordered.push(answered(nothing), message);
    else ordered.push(message);
  }
  return ordered.at(-1)?.role === 'assistant' ? [...ordered, said(nothing)] : ordered;
}

const said = (content: string): ChatMessage => ({ role: 'user', content, attachments: [] });
const answered = (content: string): ChatMessage => ({ role: 'assistant', content, toolCalls: [] });

/** The message if anything is in it. A result may be empty, but must stay beside its call. */
function filled(message: ChatMessage): ChatMessage[] {
  const isEmpty = !message.content?.trim();
  if (message.role === 'tool') return [isEmpty ? { ...message, content: '(nothing)' } : message];
  if (message.role === 'user') return isEmpty && message.attachments.length === 0 ? [] : [message];
  if (message.toolCalls.length > 0) return [isEmpty ? { ...message, content: null } : message];
  return isEmpty ? [] : [message];
}

/** Two messages of the same side as one; null if they are not, or if results stand between them. */
function join(first: ChatMessage, second: ChatMessage): ChatMessage | null {
  const content = [first.content, second.content].filter(Boolean).join('\n\n');
  if (first.role === 'user' && second.role === 'user')
    return { role: 'user', content, attachments: [...first.attachments, ...second.attachments] };
  if (first.role === 'assistant' && second.role === 'assistant' && first.toolCalls.length === 0)
    return { ...second, content: content || null };
  return null;
}

/** The ids of calls that a provider accepts: Mistral's are nine letters and digits, Anthropic's have no dots. */
function formOf({ provider, modelId }: { provider: string; modelId: string }): RegExp {
  if (/(?:mi[sx]|codes|devs|magis|pix)tral/i.test(modelId)) return /^[a-z\d]{9}$/i;
  return provider.startsWith('anthropic') ? /^[\w-]{1,40}$/ : /^\S{1,40}$/;
}

/** Gives calls, and their results, other ids where a provider refuses theirs: another model may have made them. */
export function withAcceptedIds(messages: ChatMessage[], model: { provider: string; modelId: string }): ChatMessage[] {
  const form = formOf(model);
  const used = new Set<string>();
  const ids = new Map<string, string>();
  let made = 0;
  const accepted = (id: string): string => {
    let free = id;
    while (!form.test(free) || used.has(free)) free = `call${String(++made).padStart(5, '0')}`;
    used.add(free);
    ids.set(id, free);
    return free;
  };
  return messages.map((message) => {
    if (message.role === 'tool') return { ...message, toolCallId: ids.get(message.toolCallId) ?? message.toolCallId };
    if (message.role === 'user') return message;
    return { ...message, toolCalls: message.toolCalls.map((call) => ({ ...call, id: accepted(call.id) })) };
  });
}
