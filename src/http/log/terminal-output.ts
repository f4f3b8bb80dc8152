import type { DestinationStream } from 'pino';

/** Clears what stands in the line of the cursor: the progress of a start. */
const clearLine = '\r\u001b[K';
const colours: Record<string, string> = { fatal: '\u001b[31m', error: '\u001b[31m', warn: '\u001b[33m' };
const plain = '\u001b[0m';

type Line = { level: string; time: string; msg?: string; err?: { message?: string; stack?: string } } & Record<
  string,
  unknown
>;

/** Writes the log for a person: `14:05:01 WARN  The message  name=value`, and the frames of an error below. */
export function terminalOutput(
  write: (text: string) => void = (text) => process.stdout.write(text),
): DestinationStream {
  return { write: (line) => write(clearLine + readable(JSON.parse(line))) };
}

/** `line` as text, with a line break at its end. */
function readable({ level, time, msg = '', err, ...details }: Line): string {
  const clock = new Date(time).toLocaleTimeString('en-GB');
  const name = `${colours[level] ?? ''}${level.toUpperCase().padEnd(5)}${colours[level] ? plain : ''}`;
  const values = Object.entries(details).map(([key, value]) => `${key}=${valueOf(value)}`);
  const head = [`${clock} ${name} ${msg}`, ...(err?.message ? [err.message] : []), ...values].join('  ');
  const frames = err?.stack ? `\n${err.stack.replace(/^/gm, '    ')}` : '';
  return `${head}${frames}\n`;
}

/** Without control characters, which a terminal would obey. */
function valueOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return /^[^\s"\p{Cc}]+$/u.test(text) ? text : JSON.stringify(text).replace(/\p{Cc}/gu, '');
}
