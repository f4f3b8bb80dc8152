import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillWithDemo } from '../support/gateway/demo-folder.ts';
import { freePort } from '../support/gateway/free-port.ts';
import { type GatewayProcess, startGateway } from '../support/gateway/gateway-process.ts';
import { type Block, blocksOf, pages } from '../support/repository/documents.ts';
import { firstDifference } from '../support/repository/shown-output.ts';

/** Commands that this test skips, each with the reason. */
const leftOut: [RegExp, string][] = [
  [/^npm (ci|cit)\b/m, 'installs; continuous integration does it'],
  [/\bnpm start\b/m, 'the gateway below is started so'],
  [/\bnpx vitest\b/m, 'runs this suite'],
  [/^npm run (test:|bench)/m, 'takes long: what a machine can take, and what breaks it'],
  [/^npm run (--silent )?(print|format|check|migration|generate)\b/m, 'changes or checks the whole checkout'],
];

/** Pages that show the demo's history, whose numbers are others each day. */
const showsDemo = new Set(['docs/dashboards.md', 'docs/inbox.md']);

const blocks = pages.flatMap(blocksOf);
const isRun = ({ language, text }: Block) => language === 'sh' && !leftOut.some(([command]) => command.test(text));
const commands = blocks.filter(isRun);
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const marker = (index: number) => `--- block ${index} ---`;

let gateway: GatewayProcess;
let dataDir: string;
let output: string[];

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'documents-'));
  await fillWithDemo(dataDir);
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
    .replaceAll('4500', String(pagePort))
    // The weeks of dashboards.md: the demo has leads of the last half year.
    .replaceAll('2026-09-07', daysAgo(84))
    .replaceAll('2026-10-05', daysAgo(56));
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

  test('what stands under them is compared', () => {
    const pagesOfOutputs = new Set(answered.map(({ shown }) => shown.page));
    expect([...pagesOfOutputs]).toEqual(
      expect.arrayContaining(['docs/tour.md', 'docs/inbox.md', 'docs/dashboards.md']),
    );
    expect(answered.length).toBeGreaterThan(12);
  });
  test.each(answered)('$shown.page:$shown.line shows what is answered', ({ index, shown }) => {
    const real = output[index] ?? '';
    expect(real).not.toBe('');
    expect(firstDifference(shown.text, real, { anyNumber: showsDemo.has(shown.page) }), real).toBeNull();
    expect(real).not.toMatch(/"errors":|"code":"/);
  });

  test('the tour ends with a lead that the gateway captured', () => {
    const last = output[commands.findLastIndex(({ page }) => page === 'docs/tour.md')];
    expect(last).toContain('"lead":{"name":"Ana Souza","capture":"completed"}');
    expect(last).toContain('"total":1');
  });
});
