-- The postings of segments that go are looked up by their numbers: joined with the table of what was removed, of which the
-- planner knows no size, all postings were gone through.
CREATE OR REPLACE FUNCTION "removeTerms"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "PassageTerm" WHERE "segment" = ANY (ARRAY(SELECT "number" FROM removed));
  DELETE FROM "PassageRun" AS run USING (SELECT DISTINCT "run" FROM removed WHERE "run" IS NOT NULL) AS lost
  WHERE run."number" = lost."run" AND NOT EXISTS (SELECT FROM "PassageSegment" AS part WHERE part."run" = lost."run");
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "removeTermsOfRun"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "PassageTerm" WHERE "segment" = ANY (ARRAY(SELECT "number" FROM removed));
  RETURN NULL;
END $$;
