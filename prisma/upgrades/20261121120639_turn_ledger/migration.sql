-- Streams are kept for an hour: those of before are let go.
DROP TABLE "TurnBatch";
DROP TABLE "TurnStream";
DROP TYPE "TurnState";

-- CreateEnum
CREATE TYPE "TurnState" AS ENUM ('open', 'answered', 'stopped', 'failed');

-- CreateTable
CREATE TABLE "Turn" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "conversationId" TEXT NOT NULL,
    "key" TEXT,
    "fingerprint" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL DEFAULT 1,
    "state" "TurnState" NOT NULL DEFAULT 'open',
    "heardFrom" INTEGER NOT NULL,
    "heardTo" INTEGER NOT NULL,
    "silent" BOOLEAN NOT NULL DEFAULT false,
    "month" TEXT,
    "aliveUntil" TIMESTAMPTZ(3) NOT NULL,
    "stopAsked" BOOLEAN NOT NULL DEFAULT false,
    "messageIds" TEXT[],
    "failure" JSONB,
    "streamUntil" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "endedAt" TIMESTAMPTZ(3),
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Turn_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "TurnBatch" (
    "workspaceId" TEXT NOT NULL,
    "turnId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "parts" JSONB NOT NULL,

    CONSTRAINT "TurnBatch_pkey" PRIMARY KEY ("turnId","position")
);

-- CreateTable
CREATE TABLE "OutboxEvent" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "position" BIGSERIAL NOT NULL,
    "type" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "onceAs" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "OutboxEvent_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "Turn_state_aliveUntil_idx" ON "Turn"("state", "aliveUntil");

-- CreateIndex
CREATE INDEX "Turn_streamUntil_idx" ON "Turn"("streamUntil");

-- CreateIndex
CREATE INDEX "Turn_expiresAt_idx" ON "Turn"("expiresAt");

-- CreateIndex
CREATE UNIQUE INDEX "Turn_workspaceId_id_key" ON "Turn"("workspaceId", "id");

-- CreateIndex
CREATE INDEX "OutboxEvent_workspaceId_position_idx" ON "OutboxEvent"("workspaceId", "position");

-- CreateIndex
CREATE INDEX "OutboxEvent_createdAt_idx" ON "OutboxEvent"("createdAt");

-- CreateIndex
CREATE UNIQUE INDEX "OutboxEvent_workspaceId_id_key" ON "OutboxEvent"("workspaceId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "OutboxEvent_workspaceId_onceAs_key" ON "OutboxEvent"("workspaceId", "onceAs");

-- CreateIndex
CREATE INDEX "TurnBatch_workspaceId_turnId_idx" ON "TurnBatch"("workspaceId", "turnId");

-- AddForeignKey
ALTER TABLE "Turn" ADD CONSTRAINT "Turn_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "TurnBatch" ADD CONSTRAINT "TurnBatch_workspaceId_turnId_fkey" FOREIGN KEY ("workspaceId", "turnId") REFERENCES "Turn"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "OutboxEvent" ADD CONSTRAINT "OutboxEvent_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What a key has answered is known on, and what it has stored is not stored again.
INSERT INTO "Turn" ("id", "workspaceId", "agentId", "conversationId", "key", "fingerprint", "state", "heardFrom", "heardTo",
  "aliveUntil", "messageIds", "createdAt", "endedAt", "expiresAt")
SELECT COALESCE("known"."messageIds"[1], 'msg_' || left(md5("known"."workspaceId" || ' ' || "known"."key"), 26)), "known"."workspaceId",
  "conversation"."agentId", "conversation"."id", "known"."key", "known"."fingerprint",
  (CASE WHEN "known"."answered" THEN 'answered' ELSE 'failed' END)::"TurnState", 0, "conversation"."messageCount" - 1,
  "known"."createdAt", "known"."messageIds", "known"."createdAt", "known"."createdAt", "known"."expiresAt"
FROM "Idempotency" AS "known"
JOIN "Conversation" AS "conversation"
  ON "conversation"."workspaceId" = "known"."workspaceId" AND "conversation"."id" = "known"."conversationId";

-- AlterTable
ALTER TABLE "Conversation" DROP COLUMN "turnStop",
DROP COLUMN "turnUntil",
ADD COLUMN     "turnId" TEXT;

-- AlterTable
ALTER TABLE "Idempotency" ADD COLUMN "turnId" TEXT;
UPDATE "Idempotency" SET "turnId" = "turn"."id" FROM "Turn" AS "turn"
WHERE "turn"."workspaceId" = "Idempotency"."workspaceId" AND "turn"."key" = "Idempotency"."key";
DELETE FROM "Idempotency" WHERE "turnId" IS NULL;
ALTER TABLE "Idempotency" DROP COLUMN "answered",
DROP COLUMN "claimedUntil",
DROP COLUMN "conversationId",
DROP COLUMN "messageIds",
ALTER COLUMN "turnId" SET NOT NULL;
