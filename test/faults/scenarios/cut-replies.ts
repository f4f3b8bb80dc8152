import { randomUUID } from 'node:crypto';
import { openReplyCutter, type ReplyCutter } from '../../support/faults/reply-cutter.ts';
import { census } from '../census.ts';
import { ask, type Sent } from '../client.ts';
import { type EveryWrite, everyWrite } from '../every-write.ts';
import type { Scenario, Trial } from '../types.ts';

export const cutReplies: Scenario = {
  name: 'cut-replies',
  promise: 'a write whose reply was cut answers the same to its key, and is made once: every kind of write',
  databases: ['embedded', 'postgres'],
  control: { breaks: 'the client repeats with another key', counts: 'doubled' },
  async run(trial) {
    const writes: EveryWrite[] = [];
    const world = await trial.open({
      async prepare(services) {
        writes.push(...(await everyWrite(services)));
      },
    });
    const gateway = await world.start();
    const cutter = await openReplyCutter(gateway.url);
    trial.after(() => cutter.close());
    const refused: string[] = [];
    for (const write of writes) {
      const answered = await repeat(trial, cutter, gateway.url, write);
      if (!answered) refused.push(write.name);
    }
    trial.score.note(`${writes.length - refused.length} kinds of writes`);
    if (refused.length > 0) trial.score.note(`not made at all: ${refused.join(', ')}`);
  },
};

/** Sends a write whose reply is cut, then repeats it. Returns whether the first attempt was executed. */
async function repeat({ score, broken }: Trial, cutter: ReplyCutter, url: string, write: EveryWrite): Promise<boolean> {
  const key = randomUUID();
  const id = randomUUID();
  const sent: Sent = { ...write.sent, key, headers: { 'x-request-id': id } };
  await ask(cutter.url, sent);
  const told = cutter.replies.get(id);
  if (!told || told.status >= 300 || told.text.includes('"errors":[')) return false;
  score.tried += 1;
  const before = await census(url, write.sent.token);
  const again = await ask(url, { ...sent, ...(broken && { key: randomUUID() }) });
  const after = await census(url, write.sent.token);
  const { reply } = again;
  if (reply?.status !== told.status || reply.text !== told.text) {
    score.count('wrong', `${write.name}: ${reply?.status} ${reply?.text.slice(0, 120)}`);
  }
  for (const list of Object.keys(before).filter((name) => before[name] !== after[name])) {
    score.count('doubled', `${write.name}: ${list}`);
  }
  return true;
}
