import { generateCopy } from '../../src/domain/content/copywriting.ts';
import { rowMutation } from '../shared/mutations.ts';
import { Copy } from './content.ts';

rowMutation('generateCopy', {
  waits: true,
  description:
    'Generates several copies for one completion of a prompt and saves those that succeeded. Uses one ' +
    'interaction of the month, which is returned if none succeeded.',
  payload: { field: 'copies', type: [Copy], description: 'The records, which share one `completionId`.' },
  expensive: true,
  input: (t) => ({
    promptId: t.string({ required: true, description: 'The ID of the prompt, under which its copies are listed.' }),
    prompt: t.string({ required: true, description: 'What to write. At most 32,000 characters.' }),
    copies: t.int({ description: 'The number of copies, 1 to 10. Defaults to 3.' }),
    agentId: t.id({
      description:
        'The agent that writes, using its instructions, model and knowledge bases. Defaults to a generic copywriter.',
    }),
  }),
  permission: 'content.write',
  resolve: (context, input) => generateCopy(context, input),
});
