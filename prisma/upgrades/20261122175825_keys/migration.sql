-- CreateTable
CREATE TABLE "Key" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "membershipId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "scopes" TEXT[],
    "agentIds" TEXT[],
    "baseIds" TEXT[],
    "secretHash" TEXT NOT NULL,
    "hint" TEXT NOT NULL,
    "ratePerMinute" INTEGER,
    "expiresAt" TIMESTAMPTZ(3),
    "revokedAt" TIMESTAMPTZ(3),
    "lastUsedAt" TIMESTAMPTZ(3),
    "lastUsedFrom" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Key_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "Key_secretHash_key" ON "Key"("secretHash");

-- CreateIndex
CREATE INDEX "Key_workspaceId_createdAt_id_idx" ON "Key"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Key_workspaceId_name_id_idx" ON "Key"("workspaceId", "name", "id");

-- CreateIndex
CREATE INDEX "Key_workspaceId_membershipId_createdAt_id_idx" ON "Key"("workspaceId", "membershipId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Key_workspaceId_membershipId_name_id_idx" ON "Key"("workspaceId", "membershipId", "name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Key_workspaceId_id_key" ON "Key"("workspaceId", "id");

-- AddForeignKey
ALTER TABLE "Key" ADD CONSTRAINT "Key_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Key" ADD CONSTRAINT "Key_workspaceId_membershipId_fkey" FOREIGN KEY ("workspaceId", "membershipId") REFERENCES "Membership"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;
