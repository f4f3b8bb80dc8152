import { parentPort } from 'node:worker_threads';
import { ExtractFailure } from './extract/failure.ts';
import { handlers, type TaskName } from './worker-task.ts';

/** What a thread says: how far it is, what it found, or why it found nothing (`fault`: the reader's own, for the log). */
export type Said =
  | { id: number; progress: { done: number; total: number } }
  | { id: number; result: unknown }
  | { id: number; failure: string }
  | { id: number; fault: { message: string; stack?: string | undefined } };

const quietMs = 250;

parentPort?.on('message', ({ id, name, asked }: { id: number; name: TaskName; asked: never }) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  const say = (said: Said) => parentPort?.postMessage(said);
  let spoke = 0;
  const onProgress = (done: number, total: number) => {
    if (performance.now() - spoke < quietMs) return;
    spoke = performance.now();
    say({ id, progress: { done, total } });
  };
  handlers[name](asked, onProgress).then(
    (result) => say({ id, result }),
    (error: unknown) => {
      if (error instanceof ExtractFailure) return say({ id, failure: error.message });
      const { message, stack } = error instanceof Error ? error : new Error(String(error));
      say({ id, fault: { message, stack } });
    },
  );
});
