import { setFeedback } from '../../src/domain/conversations/messages.ts';
import { builder } from '../builder.ts';
import { rowMutation } from '../shared/mutations.ts';
import { Message } from './messages.ts';

const FeedbackRating = builder.enumType('FeedbackRating', {
  description: 'The rating of a message by a person.',
  values: { like: { description: 'It helped.' }, dislike: { description: 'It did not help.' } } as const,
});

const FeedbackInput = builder.inputType('FeedbackInput', {
  description: 'Feedback on a message: a rating, and the reason for it.',
  fields: (t) => ({
    rating: t.field({ type: FeedbackRating, required: true, description: 'Whether the message helped.' }),
    comment: t.string({ description: "The reason, in the person's own words." }),
  }),
});

rowMutation('setFeedback', {
  description: 'Sets the feedback on a message. If `feedback` is omitted, removes it.',
  payload: { field: 'message', type: Message, description: 'The updated message.' },
  input: (t) => ({
    id: t.id({ required: true, description: 'ID of the message.' }),
    feedback: t.field({ type: FeedbackInput, description: 'The feedback; `null` or omitted to remove it.' }),
  }),
  write: setFeedback,
});
