import type { GapReason } from '../../database/generated/prisma/client.ts';
import { captureContact } from '../../model/capture/capture.ts';
import { asksIdentity, isGreeting, isThanks } from '../../model/embedded/small-talk.ts';
import { termsOf } from '../../model/reply/text.ts';
import type { Reply, ReplyRequest } from '../../model/service.ts';
import { fold } from '../../text/fold.ts';

/** Words that mark a question anywhere in it, and at its start. */
const questionWord =
  /\b(what|when|where|which|who|whose|why|how|qual|quais|quando|onde|quem|quantos?|quantas?|como|por ?que|cual|cuales|cuando|donde|quien|cuantos?|cuantas?)\b/;
const startsWithQuestion =
  /^\W*(can|could|do|does|did|is|are|will|would|should|may|tell me|show me|i need|i want|posso|pode|podem|tem|existe|ha|preciso|quero|gostaria|puedo|puede|pueden|hay|tiene|tienen|necesito|quiero)\b/;
/** A message with this many meaningful terms asks for something, whatever its grammar. */
const minTerms = 3;

/** How a model says that it has no answer, in the languages of the embedded model. */
const unknown =
  /\b(i (do not|don'?t|am not able to|cannot|can'?t|could not|couldn'?t|did not|didn'?t) (know|find|have (any |that |this |the )?information)|i have no information|i am not sure|i'?m not sure|nao sei|nao encontrei|nao tenho (essa |esta |a )?informac|no (lo )?se\b|no encontre|no tengo (esa |esta |la )?informac)/;

const saysUnknown = (text: string): boolean => unknown.test(fold(text.replace(/’/g, "'")).slice(0, 400));

/**
 * Whether a message asks something that a base may answer, rather than being a greeting, thanks, or only a name or
 * email.
 */
export function asksAgent(text: string, agentName: string): boolean {
  if (isGreeting(text, agentName) || isThanks(text) || asksIdentity(text)) return false;
  const terms = termsOf(text).size;
  if (terms === 0) return false;
  if (text.includes('?')) return true;
  if (Object.keys(captureContact(text)).length > 0) return false;
  return isQuestion(text) || terms >= minTerms;
}

/** Whether a message is a question by its form. */
export const isQuestion = (text: string): boolean =>
  text.includes('?') || questionWord.test(fold(text)) || startsWithQuestion.test(fold(text));

/**
 * Why a reply leaves a gap: nothing was found for the question, or the reply says that it does not know, or cites
 * nothing although it should. Null if it answers, possibly by a tool or, without bases, of itself, or if nothing was
 * asked.
 */
export function gapReason(
  { agent, history, passages, format, jsonSchema }: ReplyRequest,
  reply: Reply,
  hasBases: boolean,
): GapReason | null {
  if (reply.toolCalls?.length || reply.finish === 'stopped' || reply.references.length > 0) return null;
  const question = history.findLast(({ role }) => role === 'user')?.content ?? '';
  if (!asksAgent(question, agent.name)) return null;
  const admits = saysUnknown(reply.content ?? '');
  if (reply.steps.length > 0 || !hasBases) return admits ? 'unknown' : null;
  if (passages.length === 0) return 'nothing_found';
  // `references` in the caller's own schema have another meaning.
  const cites = agent.references && !(format === 'json' && jsonSchema);
  return admits || cites ? 'unknown' : null;
}
