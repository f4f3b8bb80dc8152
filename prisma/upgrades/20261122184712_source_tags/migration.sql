-- AlterTable
ALTER TABLE "Agent" ADD COLUMN     "sourceTags" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "Source" ADD COLUMN     "tags" JSONB NOT NULL DEFAULT '{}';

-- What callers have said already, by the rules of `tagsInput`.
UPDATE "Source" SET "tags" = "data"->'tags' WHERE jsonb_typeof("data"->'tags') = 'object' AND (
  SELECT count(*) BETWEEN 1 AND 20 AND bool_and(jsonb_typeof(value) = 'string' AND length(key) BETWEEN 1 AND 50
    AND length(value #>> '{}') BETWEEN 1 AND 100)
  FROM jsonb_each("data"->'tags')
);
