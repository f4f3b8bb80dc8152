import { cutPower, cutsOf, recordWork, withoutSync } from '../power-cut.ts';
import type { Scenario } from '../types.ts';

const steps = 40;

export const powerCut: Scenario = {
  name: 'power-cut',
  promise:
    'after a power cut at any step the folder opens, with every write that a sync has followed, or every one (`commit`)',
  databases: ['embedded'],
  control: { breaks: 'nothing is synced', counts: 'lost' },
  async run({ score, broken, ms, random }) {
    for (const sync of ['second', 'commit'] as const) {
      const log = await recordWork(sync, steps);
      const cuts = cutsOf(log, Math.max(6, Math.round(ms / 1_000)), random);
      const chosen = broken ? cuts.filter(({ luck }) => luck.name === 'nothing more') : cuts;
      const { tried, lost, doubled, wrong, told } = await cutPower(broken ? withoutSync(log) : log, sync, chosen);
      score.tried += tried;
      const counts = { lost, doubled, wrong };
      for (const what of ['lost', 'doubled', 'wrong'] as const) {
        for (let count = 0; count < counts[what]; count++) score.count(what, `${sync}: ${told.join('; ')}`);
      }
    }
  },
};
