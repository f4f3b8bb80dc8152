import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { unaccent } from '@electric-sql/pglite/contrib/unaccent';
import { vector } from '@electric-sql/pglite-pgvector';

/**
 * The extensions that migrations may create: two of PostgreSQL's contrib, and pgvector. Never remove one, since
 * existing folders may depend on it; offering it costs nothing measurable.
 */
export const extensions = { pg_trgm, unaccent, vector };
