-- AlterTable
ALTER TABLE "Workspace" ADD COLUMN     "maxInteractions" INTEGER;

-- What bounds a workspace now goes on to bound it, whichever subscription it makes: 1000 is what any new one brings.
UPDATE "Workspace" SET "maxInteractions" = "plan"."maxInteractions"
FROM (
  SELECT DISTINCT ON ("workspaceId") "workspaceId", "maxInteractions" FROM "Subscription"
  WHERE "status" IN ('trial', 'active') ORDER BY "workspaceId", "createdAt" DESC, "id" DESC
) AS "plan"
WHERE "plan"."workspaceId" = "Workspace"."id" AND "plan"."maxInteractions" <> 1000;
