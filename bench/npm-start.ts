import { readFileSync } from 'node:fs';

const manifest = new URL('../package.json', import.meta.url);

/** How `npm start` starts the gateway: its settings of the environment, and its flags for Node. */
export function readStartScript(): { env: Record<string, string>; flags: string[] } {
  const { scripts } = JSON.parse(readFileSync(manifest, 'utf8')) as { scripts: { start: string } };
  const words = scripts.start.split(' ');
  const program = words.indexOf('node');
  const settings = words.slice(0, program).map((word) => word.split('=') as [string, string]);
  return { env: Object.fromEntries(settings), flags: words.slice(program + 1, -1) };
}
