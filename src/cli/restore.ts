import path from 'node:path';
import { parseArgs } from 'node:util';
import { keyFileOf, readKeyFile } from '../auth/encryption/key-file.ts';
import { readManifest } from '../backup/manifest.ts';
import { restoreBackup } from '../backup/restore.ts';
import { type Config, readConfig } from '../config/config.ts';
import { openForCopy } from '../database/copy/session.ts';
import { openStorage } from './shared/open-storage.ts';
import { printUsage, run } from './shared/run.ts';

const usage = `Restores a backup into the empty database of DATABASE_URL or DATA_DIR, and the attachments' files into the
storage. If it is interrupted, run it again.

  npm run --silent restore -- --from <folder>`;

await run(async () => {
  const { values } = parseArgs({ options: { from: { type: 'string' }, help: { type: 'boolean', short: 'h' } } });
  if (values.help || !values.from) return printUsage(usage, values.help);
  const config = readConfig(process.env);
  const folder = path.resolve(values.from);
  // Before the embedded database is created for it.
  await readManifest(folder);
  const target = await openForCopy(config);
  try {
    const storage = openStorage(config);
    const onStep = (text: string) => console.error(text);
    const { tables, files } = await restoreBackup({ folder, target, storage, onStep });
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    console.log(
      `Restored and verified ${rows} rows of ${tables.length} tables, and ${files.count} files of attachments.`,
    );
  } finally {
    await target.close();
  }
  await remindOfKey(config);
});

async function remindOfKey(config: Config): Promise<void> {
  if (config.encryptionKeys || (await readKeyFile(config.dataDir))) return;
  console.log(
    `The gateway needs the encryption key of the data: copy it to ${keyFileOf(path.resolve(config.dataDir))}, or set ENCRYPTION_KEYS.`,
  );
}
