-- DropIndex
DROP INDEX "User_email_key";

-- AlterTable
ALTER TABLE "Membership" ADD COLUMN     "acceptedAt" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
ADD COLUMN     "acceptedByLink" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "linkExpiresAt" TIMESTAMPTZ(3),
ADD COLUMN     "linkHash" TEXT;

-- AlterTable
ALTER TABLE "User" ADD COLUMN     "invitedTo" TEXT NOT NULL DEFAULT '';

-- CreateIndex
CREATE UNIQUE INDEX "Membership_linkHash_key" ON "Membership"("linkHash");

-- CreateIndex
CREATE UNIQUE INDEX "User_email_invitedTo_key" ON "User"("email", "invitedTo");

-- Who is a member now stays one, as of the day they became one. The default is for replicas of the version before, which
-- know of no invitations while an upgrade is under way.
UPDATE "Membership" SET "acceptedAt" = "createdAt";
