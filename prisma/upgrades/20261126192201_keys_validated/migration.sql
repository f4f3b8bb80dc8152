-- Checks the rows of the keys that the migration before made again.
DO $$
DECLARE
  key record;
BEGIN
  FOR key IN
    SELECT "conrelid"::regclass AS "table", "conname" AS "name" FROM pg_constraint
    WHERE "contype" = 'f' AND NOT "convalidated" AND "connamespace" = 'public'::regnamespace ORDER BY "oid"
  LOOP
    EXECUTE format('ALTER TABLE %s VALIDATE CONSTRAINT %I', key."table", key."name");
  END LOOP;
END $$;
