-- Deletions and merges exclude each other by locks of the segments' rows, which are on the node of the workspace; an advisory lock
-- that the gateway takes on a coordinator is not. Each statement of a function sees what was committed before it began: a merge that
-- ended while the first waited has left another segment, which is locked by the next try.
CREATE OR REPLACE FUNCTION "forgetMessages"(workspace text, numbers int[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  locked int;
  there int;
BEGIN
  LOOP
    -- In one order for all, so that two that remove messages of the same segments do not wait for each other.
    SELECT count(*) INTO locked FROM (
      SELECT FROM "MessageSegment" AS part WHERE "workspaceId" = workspace AND NOT "draft" AND EXISTS (
        SELECT FROM unnest(numbers) AS gone(number) WHERE gone.number >= part."first" AND gone.number < part."first" + part."size"
      ) ORDER BY part."number" FOR UPDATE
    ) AS held;
    SELECT count(*) INTO there FROM "MessageSegment" AS part WHERE "workspaceId" = workspace AND NOT "draft" AND EXISTS (
      SELECT FROM unnest(numbers) AS gone(number) WHERE gone.number >= part."first" AND gone.number < part."first" + part."size"
    );
    EXIT WHEN locked = there;
  END LOOP;
  UPDATE "MessageSegment" AS part SET "live" = "live" - lost."count",
    "words" = "words" - ("words"::bigint * lost."count" / greatest("live", 1))::int, "gone" = "gone" || lost."slots"
  FROM (
    SELECT held."number", count(*)::int AS "count", string_agg(int2send((gone.number - held."first")::smallint), ''::bytea) AS "slots"
    FROM unnest(numbers) AS gone(number) JOIN "MessageSegment" AS held ON held."workspaceId" = workspace AND NOT held."draft"
      AND gone.number >= held."first" AND gone.number < held."first" + held."size"
    GROUP BY 1
  ) AS lost WHERE part."workspaceId" = workspace AND part."number" = lost."number";
END $$;
