-- AlterTable
ALTER TABLE "Turn" ALTER COLUMN "aliveUntil" SET DEFAULT (clock_timestamp() + '00:00:15'::interval);
