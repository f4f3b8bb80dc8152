/** A process that starts an endless read, prints the reader's process id, and waits to be killed. */
import { createTaskRunner } from '../../../src/sandbox/task-runner.ts';
import { probeFolders, probeTask } from './probe-reader.ts';

const run = createTaskRunner({ folders: probeFolders });
const ask = (text: string) => {
  const bytes = new TextEncoder().encode(text);
  return run(probeTask, { bytes, contentType: '', url: null, kind: 'text' }, { workspaceId: 'wsp_a' });
};
const { sections } = await ask('probe pid:');
process.stdout.write(sections[0]?.text ?? '');
await ask('probe endless:');
