/**
 * `npm run bench:pauses`: for how long requests wait while a gateway on a large embedded database makes a backup,
 * erases a person and deletes what is no longer kept.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sizeOf } from '../../src/database/pglite/folder-size.ts';
import { printMachine, table } from '../report.ts';
import { addExpired, prepare, workspaceId } from './data.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { type Probed, probe } from './probe.ts';

const usage = `npm run bench:pauses -- [flags]

  --messages <n>    how many messages the database has (600000, a folder of 1.2 GB)
  --folder <path>   keeps the filled folder there, and uses it again; by default a temporary one
  --seconds <s>     how long the tasks are watched after a start (40)
  --port <n>        the gateway's (4000)
  --prepare         only fills the folder
  --note <text>     what the reader of the results should know of the run
  --write           write the table into bench/PAUSES.md`;

const { values: flags } = parseArgs({
  options: {
    messages: { type: 'string', default: '600000' },
    folder: { type: 'string' },
    seconds: { type: 'string', default: '40' },
    port: { type: 'string', default: '4000' },
    prepare: { type: 'boolean', default: false },
    note: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const erase = 'mutation ($input: ErasePersonInput!) { erasePerson(input: $input) { receipt { id } } }';
const receiptOf = 'query ($id: ID!) { erasureReceipt(id: $id) { status remains } }';
const keep = 'mutation ($days: Int) { saveRetention(input: { conversations: $days }) { settings { updatedAt } } }';

async function erasePerson(gateway: Gateway): Promise<void> {
  const { leads } = await gateway.ask('{ leads(first: 2) { edges { node { email } } } }');
  const { erasePerson } = await gateway.ask(erase, { input: { email: leads.edges[1].node.email } });
  for (;;) {
    await sleep(200);
    const { erasureReceipt } = await gateway.ask(receiptOf, { id: erasePerson.receipt.id });
    if (erasureReceipt.status !== 'completed') continue;
    console.error(erasureReceipt.remains.join('\n'));
    return;
  }
}

async function measureAll(dataDir: string, scratch: string): Promise<string> {
  await addExpired(dataDir, 20_000);
  const start = () => startGateway({ dataDir, port: flags.port, workspaceId, log: path.join(scratch, 'gateway.log') });
  const rows: string[][] = [];
  const note = (what: string, { longestMs, medianMs, requests, seconds }: Probed) => {
    rows.push([what, ...[longestMs, medianMs, requests, seconds].map(String)]);
    console.error(rows.at(-1)?.join(' | '));
  };
  let gateway = await start();
  const { leads } = await gateway.ask('{ leads(first: 1) { edges { node { id } } } }');
  const leadId = leads.edges[0].node.id;
  const watch = async (what: string, work: () => Promise<unknown>) => note(what, await probe(gateway, leadId, work));
  const seconds = Number(flags.seconds) * 1_000;
  await watch('periodic tasks: 80,000 expired rows, maintenance', () => sleep(seconds));
  await watch('`npm run backup`', async () =>
    console.error(await gateway.command('backup', '--to', `${scratch}/backup`)),
  );
  await watch('`erasePerson`, until it is completed', () => erasePerson(gateway));
  await gateway.ask(keep, { days: 400 });
  await gateway.stop();
  gateway = await start();
  await watch('periodic tasks: expired conversations, maintenance', () => sleep(seconds));
  await gateway.ask(keep, { days: null });
  await gateway.stop();
  return table(['meanwhile', 'longest request, ms', 'median, ms', 'requests', 'seconds'], rows);
}

if (flags.help) console.log(usage);
else {
  const scratch = mkdtempSync(path.join(tmpdir(), 'parley-pauses-'));
  const dataDir = flags.folder ?? path.join(scratch, 'data');
  try {
    if (!existsSync(path.join(dataDir, 'postgres'))) {
      mkdirSync(dataDir, { recursive: true });
      await prepare(dataDir, Number(flags.messages));
    }
    if (!flags.prepare) {
      const { total } = await sizeOf(dataDir);
      const results = await measureAll(dataDir, scratch);
      const settings = `An embedded database of ${(total / 2 ** 30).toFixed(1)} GB with ${Number(flags.messages).toLocaleString('en')} messages. One client sends a read (a page of leads) and a write (a lead) in turns, one after the other.`;
      const parts = ['# What `npm run bench:pauses` measured', printMachine(), flags.note, settings, results];
      const page = parts.filter(Boolean).join('\n\n');
      console.log(page);
      if (flags.write) writeFileSync(path.join(import.meta.dirname, '../PAUSES.md'), `${page}\n`);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  process.exit();
}
