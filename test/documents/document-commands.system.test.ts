import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillDataFolder } from '../support/database/data-folder.ts';
import { freePort } from '../support/gateway/free-port.ts';
import { type GatewayProcess, startGateway } from '../support/gateway/gateway-process.ts';
import { type Block, blocksOf, pages } from '../support/repository/documents.ts';

/** Commands that this test skips, each with the reason. */
const leftOut: [RegExp, string][] = [
  [/^npm (ci|cit)\b/m, 'installs; continuous integration does it'],
  [/\bnpm start\b/m, 'the gateway below is started so'],
  [/\bnpx vitest\b/m, 'runs this suite'],
  [/^npm run (test:|bench)/m, 'takes long: what a machine can take, and what breaks it'],
  [/^npm run (--silent )?(print|format|check|migration|generate)\b/m, 'changes or checks the whole checkout'],
];

const blocks = pages.flatMap(blocksOf);
const isRun = ({ language, text }: Block) => language === 'sh' && !leftOut.some(([command]) => command.test(text));
const commands = blocks.filter(isRun);
const marker = (index: number) => `--- block ${index} ---`;

let gateway: GatewayProcess;
let dataDir: string;
let output: string[];

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'documents-'));
  fillDataFolder(dataDir);
  const pagePort = await freePort();
  const env = {
    ...process.env,
    PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`,
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: '',
    FETCH_ALLOW_HOSTS: `127.0.0.1:${pagePort}`,
    LOG_LEVEL: 'silent',
  };
  gateway = await startGateway(env);
  const script = commands
    .map(({ text }, index) => `echo '${marker(index)}'\n${text}`)
    .join('\n')
    .replaceAll('http://127.0.0.1:4000', gateway.url)
    .replaceAll('4500', String(pagePort));
  const { stdout } = await promisify(execFile)('bash', ['-euc', script], { env, maxBuffer: 10_000_000 });
  output = commands.map((_, index) => {
    const [, after = ''] = stdout.split(marker(index));
    return after.split(marker(index + 1))[0] ?? '';
  });
}, 600_000);
afterAll(async () => {
  await gateway?.kill();
  rmSync(dataDir, { recursive: true });
});

const keysOf = (text: string) => new Set(Array.from(text.matchAll(/"([\w-]+)":/g), ([, key]) => key));

describe('the shell commands of the tour and of docs/ run one after the other against a gateway', () => {
  test('there are some, and those that are left out are known', () => {
    expect(commands.length).toBeGreaterThan(8);
    const shell = blocks.filter(({ language }) => language === 'sh');
    const unused = leftOut.filter(([command]) => !shell.some(({ text }) => command.test(text)));
    expect(unused.map(([command]) => command.source)).toEqual([]);
  });

  const answered = commands.flatMap((block, index) => {
    const shown = blocks[blocks.indexOf(block) + 1];
    return shown && shown.page === block.page && ['json', 'text'].includes(shown.language) ? [{ index, shown }] : [];
  });
  test.each(answered)('$shown.page:$shown.line shows what is answered', ({ index, shown }) => {
    const real = output[index] ?? '';
    expect(real).not.toBe('');
    const keys = keysOf(real);
    expect([...keysOf(shown.text)].filter((key) => !keys.has(key))).toEqual([]);
    expect(real).not.toMatch(/"errors":|"code":"/);
  });

  test('the tour ends with a lead that the gateway captured', () => {
    const last = output[commands.findLastIndex(({ page }) => page === 'docs/tour.md')];
    expect(last).toContain('"lead":{"name":"Ana Souza","capture":"completed"}');
    expect(last).toContain('"total":1');
  });
});
