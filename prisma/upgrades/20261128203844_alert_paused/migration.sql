-- AlterEnum
ALTER TYPE "WebhookEvent" ADD VALUE 'alert_paused';

-- Events of rows, and the audit log
CREATE TRIGGER "Alert_paused" AFTER UPDATE ON "Alert" FOR EACH ROW WHEN ((OLD."pausedReason") IS DISTINCT FROM (NEW."pausedReason") AND OLD."pausedReason" IS NULL) EXECUTE FUNCTION "tellRow"('alert.paused', '{"alertId":"id","dashboardId":"dashboardId"}');
