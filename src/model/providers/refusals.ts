import { type ErrorCode, ParleyError } from '../../core/errors.ts';

/** Why a model gives no reply to these messages, however often it is asked. */
export type Refusal = Extract<ErrorCode, 'content_filtered' | 'model_refused' | 'context_overflow'>;

const stored = 'The messages are stored.';
const advice: Record<Refusal, string> = {
  content_filtered: `The content filter of the model's provider blocks this message or its reply, and would again. ${stored} Say it in other words, or choose another model for the agent.`,
  model_refused: `The model declines to answer this message, and would again. ${stored} Say it in other words, or choose another model for the agent.`,
  context_overflow: `The conversation with its passages is longer than the model can read. ${stored} Send a shorter message, or start a new conversation; the operator can configure the model's context window.`,
};

/** 422. `why` is what the provider says, for owners and the log. */
export const refused = (code: Refusal, why: string | Error): ParleyError =>
  new ParleyError(code, advice[code], { cause: why instanceof Error ? why : new Error(why) });

/** What providers, and proxies in front of them, call a conversation that is too long: in codes, then in words. */
const overflows =
  /context_?(length|window|size)_?(exceeded|overflow)?|exceed_context|prompt_?too_?long|string_above_max_length|context.{0,20}(length|window|size|limit)|(prompt|input|message|request)s?( \w+)? (is|are|was)? ?too (long|large)|input (token count|length).{0,60}(exceed|should be)|exceeds? the (maximum|available|model|context)|max_new_tokens.{0,20}must be|reduce (the length|your message|your prompt)|(tokens|too large).{0,40}maximum context|too many tokens/i;
/** Likewise what a filter stops. */
const filters =
  /content[_ -]?filter|content[_ -]?polic|ResponsibleAIPolicy|data_?inspection|moderation|flagged|safety|sensitive|prohibited_content|blocklist|\bSPII\b|recitation|content exists risk|inappropriate|content management policy|blocked by|敏感|违规/i;

/** Whether a provider's error says that asking again is of no use, by its status, codes and words. */
export function refusalIn(status: number | null, said: string): Refusal | null {
  // Requests that are too large for a minute's tokens are refused with 429, or with 413.
  if (status === 429) return /request too large/i.test(said) ? 'context_overflow' : null;
  if (status === 401 || (status === 403 && !filters.test(said)) || status === 404) return null;
  if (overflows.test(said) || status === 413) return 'context_overflow';
  return filters.test(said) ? 'content_filtered' : null;
}

/** Why a model ended its reply without a word, by what the SDK made of its reason and by the reason itself. */
export function refusalAtEnd(finish: string, raw: string | undefined): Refusal | null {
  if (raw === 'model_context_window_exceeded') return 'context_overflow';
  if (raw === 'refusal') return 'model_refused';
  return finish === 'content-filter' ? 'content_filtered' : null;
}
