-- CreateEnum
CREATE TYPE "DemoState" AS ENUM ('unfinished', 'copied');

-- CreateTable
CREATE TABLE "DemoProgress" (
    "state" "DemoState" NOT NULL,

    CONSTRAINT "DemoProgress_pkey" PRIMARY KEY ("state")
);

-- The name of the workspace said it.
INSERT INTO "DemoProgress" ("state") SELECT CASE "name" WHEN 'Demo (copied)' THEN 'copied' ELSE 'unfinished' END::"DemoState"
FROM "Workspace" WHERE "id" = 'wsp_00000000000000000000000000' AND "name" IN ('Demo (copied)', 'Demo (being made)');
