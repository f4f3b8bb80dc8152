import type { Reference } from './citations.ts';

/** The models of the demo, which exist nowhere else: dollars per million tokens of prompt and answer. */
const prices = { 'demo-swift': [0.25, 1.25], 'demo-careful': [3, 15] } as const;
export type DemoModel = keyof typeof prices;
type Tokens = { promptTokens: number; completionTokens: number };

/** Sales and trips are answered by the careful model at times, the rest by the swift one. */
export const modelOf = (agent: string, chance: number): DemoModel =>
  (agent === 'trips' || agent === 'guide') && chance < 0.4 ? 'demo-careful' : 'demo-swift';

export const costOf = (model: DemoModel, { promptTokens, completionTokens }: Tokens): number => {
  const [prompt, completion] = prices[model];
  return Number(((promptTokens * prompt + completionTokens * completion) / 1_000_000).toFixed(6));
};

type Replied = { model: DemoModel; cost: number; totalMs: number; references: Reference[]; query: string };

/** How a reply came about, as src/domain/conversations/message-trace.ts has it. */
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
