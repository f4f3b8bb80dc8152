import { asksIdentity, isGreeting, isThanks } from '../embedded/small-talk.ts';
import type { ReplyRequest } from '../types.ts';

/**
 * Whether a restricted agent has nothing at all to answer from: no passages, tools or instructions, and no earlier
 * conversation. No model need be called then. Greetings, thanks and questions about its identity do not count.
 */
export function hasNoSources(request: ReplyRequest): boolean {
  const { agent, passages, tools, history, summary, earlier = [] } = request;
  if (agent.freedom !== 'restricted' || request.unchecked) return false;
  if (agent.instructions?.trim() || summary?.trim()) return false;
  if (passages.length > 0 || tools.length > 0 || earlier.length > 0) return false;
  if (history.some(({ role }) => role !== 'user')) return false;
  const question = history.at(-1)?.content?.trim() ?? '';
  return question !== '' && !isGreeting(question, agent.name) && !isThanks(question) && !asksIdentity(question);
}
