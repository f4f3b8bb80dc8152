-- The order of a workspace's events, in whichever database its rows are. A sequence is of one node: after its rows were moved
-- to another, an event was numbered below earlier ones. A counter of the workspace would be locked until the commit.
CREATE FUNCTION "orderEvent"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  latest bigint;
BEGIN
  SELECT "position" INTO latest FROM "OutboxEvent" WHERE "workspaceId" = NEW."workspaceId" ORDER BY "position" DESC LIMIT 1;
  -- Microseconds, so that of two events, neither of which is seen by the other, the later one is mostly the greater; beyond
  -- what is there, so that it does not depend on the clocks of nodes.
  NEW."position" := greatest((extract(epoch FROM clock_timestamp()) * 1000000)::bigint, latest + 1);
  RETURN NEW;
END $$;

CREATE TRIGGER "OutboxEvent_order" BEFORE INSERT ON "OutboxEvent" FOR EACH ROW
  WHEN (NEW."position" = 0) EXECUTE FUNCTION "orderEvent"();

-- A plan that is made while the table is nearly empty reads all of it, and is kept as long as the session.
ALTER FUNCTION "orderEvent"() SET plan_cache_mode = force_custom_plan;
ALTER FUNCTION "deliverEvents"() SET plan_cache_mode = force_custom_plan;

-- AlterTable
ALTER TABLE "OutboxEvent" ALTER COLUMN "position" SET DEFAULT 0;
DROP SEQUENCE "OutboxEvent_position_seq";
