import type { Score } from './score.ts';
import type { DatabaseName, Scenario } from './types.ts';

/** `skipped`: why the fault was not produced; `failed`: why the trial aborted. */
export type Result = {
  scenario: Scenario;
  database: DatabaseName;
  broken: boolean;
  score: Score;
  seconds: number;
  skipped?: string;
  failed?: string;
};

/** Whether a result is as expected: nothing counted, or in a negative control what it must count. */
export function isGood({ scenario, broken, score, skipped, failed }: Result): boolean {
  if (skipped !== undefined) return true;
  const { counts } = scenario.control;
  if (broken) return (counts === 'anything' ? score.lost + score.doubled + score.wrong : score[counts]) > 0;
  return failed === undefined && score.isClean;
}

const columns = [22, 9, 7, 6, 8, 6] as const;

function line(cells: (string | number)[], rest: string): string {
  const text = cells.map((cell, index) =>
    index < 2 ? String(cell).padEnd(columns[index] ?? 0) : String(cell).padStart(columns[index] ?? 0),
  );
  return `${text.join(' ')}  ${rest}`;
}

export const head = line(['fault', 'database', 'tried', 'lost', 'doubled', 'wrong'], 'promise');

/** One row of the table. */
export function row(result: Result): string {
  const { scenario, database, broken, score, seconds, skipped, failed } = result;
  const name = broken ? '  control' : scenario.name;
  const counts = skipped === undefined ? [score.tried, score.lost, score.doubled, score.wrong] : ['-', '-', '-', '-'];
  const caught = isGood(result) ? 'caught' : 'NOT CAUGHT';
  const promise = broken
    ? `${caught}: ${scenario.control.breaks}`
    : `${isGood(result) ? '' : 'BROKEN: '}${scenario.promise}`;
  const about = skipped === undefined ? `${promise} (${Math.round(seconds)} s)` : `left out: ${skipped}`;
  return line([name, database, ...counts], failed && !broken ? `${about}; broke off: ${failed}` : about);
}

/** The lines below a row. */
export function details({ score, broken }: Result): string[] {
  return [...score.notes, ...(broken ? score.reasons(2) : score.reasons())].map((text) => `    ${text}`);
}
