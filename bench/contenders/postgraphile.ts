/** PostGraphile 5 set up as in its documentation, over the tables that the operations read and write. */
import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { pgSmartTags } from 'postgraphile/utils';

const { PORT, DATABASE_URL } = process.env;
const tables = ['Agent', 'Conversation', 'Message', 'Lead'];

/** Two of the other tables have names that collide with its generated types. */
const onlyTables = pgSmartTags({
  kind: 'class',
  match: ({ relname, relkind }) => relkind === 'r' && !tables.includes(relname),
  tags: { behavior: '-*' },
});

const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  plugins: [onlyTables],
  pgServices: [makePgService({ connectionString: DATABASE_URL, schemas: ['public'], poolConfig: { max: 4 } })],
  grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false },
  grafast: { explain: false },
});

const server = createServer();
await instance.createServ(grafserv).addTo(server);
server.listen(Number(PORT), '127.0.0.1');
