import type { Logger } from 'pino';
import type { Progress } from '../../config/progress.ts';
import type { LogOutput } from './request-log.ts';

type Stall = { seconds: number; doing: string; isOver: boolean };

/** Says in the log, while it lasts, that the embedded database keeps the gateway from answering. */
export function stallLog(log: Logger, output: Pick<LogOutput, 'flushSync'>, progress: Pick<Progress, 'isShown'>) {
  return {
    afterMs: 2_000,
    report({ isOver, ...details }: Stall): void {
      // The step of a start is shown already.
      if (progress.isShown) return;
      if (isOver) return log.warn(details, 'The embedded database has let the gateway answer again');
      log.warn(details, 'The embedded database keeps the gateway from answering');
      // The log is written by the thread that is blocked.
      output.flushSync?.();
    },
  };
}
