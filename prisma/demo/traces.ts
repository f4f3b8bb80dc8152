import type { Reference } from './citations.ts';

/** Fictional models: US dollars per million prompt and completion tokens. */
const prices = { 'demo-swift': [0.25, 1.25], 'demo-careful': [3, 15] } as const;
export type DemoModel = keyof typeof prices;
type Tokens = { promptTokens: number; completionTokens: number };

/** Sales and trips sometimes use the careful model, everything else the swift one. */
export const modelOf = (agent: string, chance: number): DemoModel =>
  (agent === 'trips' || agent === 'guide') && chance < 0.4 ? 'demo-careful' : 'demo-swift';

export const costOf = (model: DemoModel, { promptTokens, completionTokens }: Tokens): number => {
  const [prompt, completion] = prices[model];
  return Number(((promptTokens * prompt + completionTokens * completion) / 1_000_000).toFixed(6));
};

type Replied = { model: DemoModel; cost: number; totalMs: number; references: Reference[]; query: string };

/** The trace of a reply, in the form of src/domain/conversations/message-trace.ts. */
export const traceOf = ({ model, cost, totalMs, references, query }: Replied) => ({
  model,
  attempts: [],
  passages: references.map(({ passageId, sourceId, baseId }) => ({ passageId, sourceId, baseId, score: null })),
  retrieval: { query, baseIds: [...new Set(references.map(({ baseId }) => baseId))] },
  prompt: null,
  steps: 0,
  retrievalMs: 12,
  firstTokenMs: Math.round(totalMs / 3),
  totalMs,
  cost,
});
