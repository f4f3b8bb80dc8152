-- Ids never change, so no key passes a change on: a column by which tables are distributed could not be part of one that does.
-- The rows are checked by the next migration, in a transaction of its own that blocks neither reads nor writes. PostgreSQL can
-- leave that for later for all tables but partitioned ones.
DO $$
DECLARE
  key record;
BEGIN
  FOR key IN
    SELECT held."conrelid"::regclass AS "table", held."conname" AS "name", t."relkind" = 'p' AS "isPartitioned",
      replace(pg_get_constraintdef(held."oid"), ' ON UPDATE CASCADE', '') AS "definition"
    FROM pg_constraint held JOIN pg_class t ON t."oid" = held."conrelid"
    WHERE held."contype" = 'f' AND held."confupdtype" = 'c' AND held."conparentid" = 0 AND held."connamespace" = 'public'::regnamespace
    ORDER BY held."oid"
  LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', key."table", key."name");
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s%s', key."table", key."name", key."definition",
      CASE WHEN key."isPartitioned" THEN '' ELSE ' NOT VALID' END);
  END LOOP;
END $$;
