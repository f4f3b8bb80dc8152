import { requestAddress } from '../auth/admin/admin-client.ts';
import { hasDemoPages, noDemoPages } from '../auth/demo.ts';
import { ConfigError, readConfig } from '../config/config.ts';
import { run } from './shared/run.ts';

await run(async () => {
  const config = readConfig(process.env);
  const { dataDir } = config;
  if (!hasDemoPages(config)) throw new ConfigError(noDemoPages);
  const address = await requestAddress(dataDir);
  if (address === null)
    throw new ConfigError(`No gateway is running on the data folder ${dataDir}: start one with npm start`);
  console.log(address);
});
