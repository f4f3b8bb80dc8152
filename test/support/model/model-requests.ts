import type { HistoryMessage, ModelAgent, ModelPassage, ReplyRequest } from '../../../src/model/service.ts';

const agent: ModelAgent = {
  name: 'Bia',
  instructions: 'Be brief.',
  welcome: 'Welcome to the shop!',
  freedom: 'balanced',
  purpose: 'support',
  references: true,
};

/** A passage as returned by retrieval. */
export const passage = (text: string, changes: Partial<ModelPassage> = {}): ModelPassage => ({
  id: 'psg_1',
  sourceId: 'src_1',
  baseId: 'bas_1',
  text,
  title: 'Return policy',
  url: null,
  place: {},
  ...changes,
});

type Changes = Partial<Omit<ReplyRequest, 'agent'>> & { agent?: Partial<ModelAgent> };

/** A request whose last message is `said`. */
export function request(said: string, { agent: own, ...changes }: Changes = {}): ReplyRequest {
  const history: HistoryMessage[] = [{ role: 'user', content: said }];
  return {
    agent: { ...agent, ...own },
    stage: 'assist',
    format: 'markdown',
    history,
    passages: [],
    tools: [],
    ...changes,
  };
}

export const returns = passage(
  'Returns\nYou may return an item within 30 days of delivery. Refunds are paid to the\noriginal card. Items on sale cannot be returned.',
  { place: { page: 2 } },
);
export const delivery = passage('Three to five working days.', {
  id: 'psg_2',
  sourceId: 'src_2',
  title: 'Questions',
  place: { question: 'How long does delivery take?' },
});
export const refund = passage('O reembolso é feito em até 7 dias úteis. A garantia é de 12 meses.', {
  id: 'psg_3',
  sourceId: 'src_3',
  title: 'Manual',
});
export const weather = {
  name: 'get_weather',
  description: 'The weather of a city now',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, unit: { enum: ['celsius', 'fahrenheit'] } },
    required: ['city'],
  },
};
