import type { CutOutcome } from './after-cut.ts';

const none: CutOutcome = { name: 'nothing more', keeps: () => 'none', names: () => 0, keepsSector: () => false };
const all: CutOutcome = { name: 'everything', keeps: () => 'all', names: (count) => count, keepsSector: () => true };
const tables: CutOutcome = { ...all, name: 'all but the log', keeps: (isLog) => (isLog ? 'none' : 'all') };
const logAlone: CutOutcome = { ...none, name: 'the log alone', keeps: (isLog) => (isLog ? 'all' : 'none') };

function torn(random: () => number): CutOutcome {
  const share = random();
  return {
    name: 'some of it, torn',
    keeps: () => (random() < share ? (random() < 0.5 ? 'all' : 'torn') : 'none'),
    names: (count) => Math.floor(random() * (count + 1)),
    keepsSector: () => random() < 0.5,
  };
}

/** Ways in which a disk may keep unsynced data: the extremes, which expose a wrong order, and random ones. */
export const cutOutcomes = (random: () => number): CutOutcome[] => [
  none,
  tables,
  torn(random),
  logAlone,
  torn(random),
  all,
];
