import { askForAddress } from '../auth/admin-client.ts';
import { hasDemoPages, noDemoPages } from '../auth/demo.ts';
import { ConfigError, readConfig } from '../config/config.ts';
import { run } from './run.ts';

await run(async () => {
  const config = readConfig(process.env);
  const { dataDir } = config;
  if (!hasDemoPages(config)) throw new ConfigError(noDemoPages);
  const address = await askForAddress(dataDir);
  if (address === null)
    throw new ConfigError(`No gateway is ready on the data folder ${dataDir}: npm start starts one`);
  console.log(address);
});
