import type { Message } from './types.ts';

/** Merges the conversation on the gateway with messages that have not arrived there, each in its position. */
export function withPending(arrived: Message[], shown: Message[]): Message[] {
  const all = [...arrived];
  for (const [index, message] of shown.entries()) {
    if (!message.pending) continue;
    const before = shown.slice(0, index).findLast(({ id }) => all.some((one) => one.id === id));
    const position = all.findIndex(({ id }) => id === before?.id) + 1;
    const hasArrived = all.slice(position).some(({ role, content }) => role === 'user' && content === message.content);
    if (!hasArrived) all.splice(position, 0, message);
  }
  return all;
}
