import type { Scenario } from '../types.ts';
import { clockJumps, clocks } from './clocks.ts';
import { cutReplies } from './cut-replies.ts';
import { databaseEnds } from './database-ends.ts';
import { fullDisk } from './full-disk.ts';
import { killMigrating } from './kill-migrating.ts';
import { killReading } from './kill-reading.ts';
import { killWriting } from './kill-writing.ts';
import { lockedRow } from './locked-row.ts';
import { manyRequests } from './many-requests.ts';
import { powerCut } from './power-cut.ts';
import { promotion } from './promotion.ts';
import { silentConnection } from './silent-connection.ts';

/** Every fault, in the order of the run. */
export const scenarios: Scenario[] = [
  killMigrating,
  killWriting,
  killReading,
  databaseEnds,
  promotion,
  cutReplies,
  clocks,
  clockJumps,
  lockedRow,
  silentConnection,
  fullDisk,
  powerCut,
  manyRequests,
];
