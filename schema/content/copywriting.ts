import { generateCopy } from '../../src/domain/content/copywriting.ts';
import { rowMutation } from '../shared/mutations.ts';
import { Copy } from './content.ts';

rowMutation('generateCopy', {
  waits: true,
  description:
    'Asks the model for several copies of one completion of a prompt and records those that came. ' +
    'It takes one interaction of the month, which is given back when none came.',
  answers: ['copies', [Copy], 'The records, which share one completionId.'],
  expensive: true,
  input: (t) => ({
    promptId: t.string({ required: true, description: 'The prompt, by the id under which its copies are listed.' }),
    prompt: t.string({ required: true, description: 'What shall be written, at most 32,000 characters.' }),
    copies: t.int({ description: 'How many copies, 1 to 10; 3 when left out.' }),
    agentId: t.id({
      description:
        'The agent that writes: by its instructions, its model and what its bases say. Without one, a copywriter.',
    }),
  }),
  permission: 'content.write',
  resolve: (context, input) => generateCopy(context, input as never),
});
