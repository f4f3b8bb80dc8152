import type { Trace } from '../../src/domain/conversations/messages.ts';
import { builder } from '../builder.ts';
import { MessageTrace } from './messages.ts';

const TracedCheckOutcome = builder.enumType('TracedCheckOutcome', {
  description: 'What was delivered of a sentence that the model wrote for a restricted agent.',
  values: {
    delivered: { description: 'The sentence, since a model judged that its passage states it.' },
    quoted: { description: 'The sentence of the passage in its place.' },
    admitted: { description: 'That nothing is known, in the words of the service.' },
    withheld: { description: 'Nothing, as nothing in its knowledge supports it.' },
  } as const,
});

const TracedCheckDecider = builder.enumType('TracedCheckDecider', {
  description:
    'What decided on a sentence: a model that judged it, or the rule that showed a difference from its passage.',
  values: {
    judge: { description: 'The model named by `VERIFY_MODEL`.' },
    fact: { description: 'An amount, a date, a name or a link is not in the passage.' },
    negation: { description: 'One of the two is negated.' },
    opposite: { description: 'A word excludes one of the passage, such as a bound or a comparison.' },
    condition: { description: 'A condition of the passage is missing.' },
    order: { description: 'Names or amounts stand in other places.' },
    wording: { description: 'It repeats the sentence, which can be quoted as well.' },
  } as const,
});

const TracedCheck = builder.objectRef<NonNullable<Trace['checks']>[number]>('TracedCheck').implement({
  description: 'What was done with a sentence that the model wrote for a restricted agent.',
  fields: (t) => ({
    statement: t.exposeString('statement', { description: 'The sentence as the model wrote it, shortened.' }),
    outcome: t.expose('outcome', { type: TracedCheckOutcome, description: 'What was delivered of it.' }),
    decidedBy: t.field({
      type: TracedCheckDecider,
      nullable: true,
      description: 'What decided; `null` if nothing supports it, or it was quoted because no model judges.',
      resolve: ({ by }) => by,
    }),
    passageIds: t.exposeIDList('passageIds', { description: 'The passages that the sentence rests on.' }),
  }),
});

builder.objectField(MessageTrace, 'checks', (t) =>
  t.field({
    type: [TracedCheck],
    description:
      'The sentences of a restricted agent that were not delivered as the model wrote them, or that a model judged, in ' +
      'order; at most 60.',
    resolve: ({ checks }) => checks ?? [],
  }),
);
