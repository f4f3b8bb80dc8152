/** Why a gateway should get no requests, in words that anybody may read. */
export const unreadyReasons = {
  database: 'The database does not answer.',
  moved: 'The data of this database was moved to another one: stop this gateway, and start one on the other database.',
  standby: 'The database is a standby, which accepts no writes.',
  migrations: 'The database lacks migrations of this version.',
};
