/** A process that reindexes all outdated bases, once it receives its kill point. */
import { once } from 'node:events';
import { openDatabase } from '../../../src/database/client.ts';
import { basesToReindex, reindexBase } from '../../../src/search/reindexing.ts';

process.channel?.ref();
const told = once(process, 'message');
const { DATABASE_URL: databaseUrl = null, DATA_DIR: dataDir = '' } = process.env;
const { client, close } = await openDatabase({ databaseUrl, dataDir });
process.send?.('ready');
await told;
for (const home of await basesToReindex(client)) await reindexBase(client, home);
await close();
process.disconnect();
