import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { startJobs } from '../src/jobs/start.ts';
import { useGateway } from './app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from './factories.ts';

const gateway = useGateway();
let home: TestWorkspace;
let agentId: string;

const file = (name: string) => ({
  type: 'file',
  file: { data: { base64: readFileSync(new URL(`files/${name}`, import.meta.url)).toString('base64') } },
});

/** The whole way in through REST, files of real programs, and out again as an answer that cites them. */
beforeAll(async () => {
  home = await makeWorkspace(gateway);
  agentId = (await makeAgent(gateway, home.editor)).id;
  await startJobs(gateway.services).started;
  const sources = ['handbook.pdf', 'allotment.docx', 'timetable.xlsx', 'induction.pptx', 'skerry.epub'].map(file);
  const made = await gateway.rest(home.app, 'POST', '/rest/bases', { description: 'Files', sources });
  await gateway.services.queue.idle();
  const attach = `mutation { attachBase(input: { agentId: "${agentId}", baseId: "${made.body.id}" }) { agent { id } } }`;
  await gateway.data(home.editor, attach);
});

test.each([
  ['What is the emergency number of the lake rescue?', '0881 556677', { page: 2 }, 'Handbook, page 2:'],
  ['How much is the deposit for hoses?', '12 euros', { heading: 'Plots › Water' }, 'Rules of the Elm Lane'],
  ['What does a camper van pay on the ferry?', 'Camper van', { sheet: 'Prices', rows: '2–5' }, 'Prices, rows 2–5:'],
  ['When is the fire drill?', 'first Tuesday', { slide: 2 }, 'Harbour Hall induction, slide 2:'],
  ['What does the log of that night say?', 'no ship lost', { chapter: 'The storm' }, 'Skerry Light, The storm:'],
])('%s', async (content, words, place, said) => {
  const { body } = await gateway.rest(home.app, 'POST', `/api/${agentId}`, { message: { content } });
  const { content: answer, metadata } = body.messages.at(-1);
  expect(answer).toContain(said);
  expect(metadata.references[0]).toMatchObject({ place, quote: expect.stringContaining(words) });
});
