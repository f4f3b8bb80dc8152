import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { unaccent } from '@electric-sql/pglite/contrib/unaccent';
import { vector } from '@electric-sql/pglite-pgvector';

/**
 * What the migrations may create of PostgreSQL's contrib, and pgvector: a folder that ever had it cannot do without, and
 * to offer it costs nothing that can be measured.
 */
export const extensions = { pg_trgm, unaccent, vector };
