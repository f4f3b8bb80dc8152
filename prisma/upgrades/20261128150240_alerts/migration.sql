-- CreateEnum
CREATE TYPE "AlertState" AS ENUM ('quiet', 'pending', 'started');

-- AlterEnum
ALTER TYPE "WebhookEvent" ADD VALUE 'alert_started';
ALTER TYPE "WebhookEvent" ADD VALUE 'alert_ended';

-- CreateTable
CREATE TABLE "Alert" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "dashboardId" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "runsAs" TEXT NOT NULL,
    "state" "AlertState" NOT NULL DEFAULT 'quiet',
    "since" TIMESTAMPTZ(3),
    "pausedReason" TEXT,
    "checkedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Alert_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateIndex
CREATE INDEX "Alert_checkedAt_idx" ON "Alert"("checkedAt");

-- CreateIndex
CREATE UNIQUE INDEX "Alert_workspaceId_dashboardId_key_key" ON "Alert"("workspaceId", "dashboardId", "key");

-- AddForeignKey
ALTER TABLE "Alert" ADD CONSTRAINT "Alert_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Alert" ADD CONSTRAINT "Alert_workspaceId_dashboardId_fkey" FOREIGN KEY ("workspaceId", "dashboardId") REFERENCES "Dashboard"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Events of rows, and the audit log
CREATE TRIGGER "Alert_started" AFTER UPDATE ON "Alert" FOR EACH ROW WHEN ((OLD."state") IS DISTINCT FROM (NEW."state") AND NEW."state" = 'started') EXECUTE FUNCTION "tellRow"('alert.started', '{"alertId":"id","dashboardId":"dashboardId"}');
CREATE TRIGGER "Alert_ended" AFTER UPDATE ON "Alert" FOR EACH ROW WHEN ((OLD."state") IS DISTINCT FROM (NEW."state") AND OLD."state" = 'started') EXECUTE FUNCTION "tellRow"('alert.ended', '{"alertId":"id","dashboardId":"dashboardId"}');
