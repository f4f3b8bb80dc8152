type Ready = { migrations: number; seconds: number };
export type Progress = {
  /** Whether a terminal shows it at the moment. */
  readonly isShown: boolean;
  /** Reports the step that begins. */
  step(text: string): void;
  /** Ends the report with what was done; `migrations`: how many were applied. */
  ready(migrations: number): void;
  /** Ends it without. */
  done(): void;
};

/**
 * The progress of a start. On a terminal it is one line, rewritten by each step and at last by the outcome; elsewhere
 * `log` gets the steps that have taken a second, and the outcome.
 */
export function createProgress(
  log: (text: string, details?: Ready) => void,
  terminal: { write(text: string): unknown } | null,
): Progress {
  const started = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let isShown = terminal !== null;
  const show = (text: string) => terminal?.write(`\r\u001b[K${text}`);
  const done = () => {
    clearTimeout(timer);
    show('');
    isShown = false;
  };
  return {
    get isShown() {
      return isShown;
    },
    step(text) {
      clearTimeout(timer);
      if (terminal) show(`${text} …`);
      else timer = setTimeout(() => log(`${text} …`), 1_000).unref();
    },
    ready(migrations) {
      done();
      const seconds = Math.round((performance.now() - started) / 100) / 10;
      if (terminal) terminal.write(`${readyLine({ migrations, seconds })}\n`);
      else log('The database is ready', { migrations, seconds });
    },
    done,
  };
}

function readyLine({ migrations, seconds }: Ready): string {
  const applied = migrations === 0 ? '' : migrations === 1 ? '1 migration, ' : `${migrations} migrations, `;
  return `Database ready, ${applied}${seconds < 10 ? seconds : Math.round(seconds)} s`;
}
