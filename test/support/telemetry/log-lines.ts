import type { Logger } from 'pino';
import { createLog } from '../../../src/http/log/request-log.ts';

type Line = Record<string, unknown> & { level: string; msg?: string };

/** The gateway's own logger, with the lines that it has written. */
export function collectLog(level = 'debug'): { log: Logger; lines: Line[] } {
  const lines: Line[] = [];
  const log = createLog(level, { write: (line) => void lines.push(JSON.parse(line)) });
  return { log, lines };
}
