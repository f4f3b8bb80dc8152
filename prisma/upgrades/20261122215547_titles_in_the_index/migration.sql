-- In which way the words of a segment were read. What is there was read in an older way: passages and messages are indexed anew in
-- the background, and answer as they did until they are.

-- AlterTable
ALTER TABLE "MessageSegment" ADD COLUMN     "analysis" SMALLINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "PassageSegment" ADD COLUMN     "analysis" SMALLINT NOT NULL DEFAULT 0;

-- Passages are found by the title of their source and by what their base is called: whoever renames one has them indexed anew.
CREATE FUNCTION "renameSource"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "PassageSegment" SET "analysis" = 0
  WHERE "workspaceId" = NEW."workspaceId" AND "baseId" = NEW."baseId" AND "draft" IS NULL AND (
    "sourceId" = NEW."id" OR "sourceId" IS NULL AND "number" IN (
      SELECT "segment" FROM "Passage" WHERE "workspaceId" = NEW."workspaceId" AND "sourceId" = NEW."id"
    ));
  RETURN NULL;
END $$;

CREATE TRIGGER "Source_renamed" AFTER UPDATE OF "title" ON "Source"
FOR EACH ROW WHEN (OLD."title" IS DISTINCT FROM NEW."title") EXECUTE FUNCTION "renameSource"();

CREATE FUNCTION "renameBase"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "PassageSegment" SET "analysis" = 0 WHERE "workspaceId" = NEW."workspaceId" AND "baseId" = NEW."id";
  RETURN NULL;
END $$;

CREATE TRIGGER "Base_renamed" AFTER UPDATE OF "description" ON "Base"
FOR EACH ROW WHEN (OLD."description" IS DISTINCT FROM NEW."description") EXECUTE FUNCTION "renameBase"();
