-- CreateEnum
CREATE TYPE "CredentialStatus" AS ENUM ('active', 'reauthorization_required');

-- AlterTable
ALTER TABLE "Credential" ADD COLUMN     "failure" TEXT,
ADD COLUMN     "grantedBy" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "refreshTokenCipher" TEXT,
ADD COLUMN     "refreshingUntil" TIMESTAMPTZ(3),
ADD COLUMN     "scope" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "status" "CredentialStatus" NOT NULL DEFAULT 'active';

-- AlterTable
ALTER TABLE "Plugin" ADD COLUMN     "authorizationUrl" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "oauthScope" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "revocationUrl" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "serviceTokenCipher" TEXT,
ADD COLUMN     "tokenIn" TEXT NOT NULL DEFAULT 'header',
ADD COLUMN     "tokenName" TEXT NOT NULL DEFAULT 'Authorization',
ADD COLUMN     "tokenPrefix" TEXT NOT NULL DEFAULT 'Bearer ',
ADD COLUMN     "tokenUrl" TEXT NOT NULL DEFAULT '';

-- CreateTable
CREATE TABLE "PluginInterface" (
    "workspaceId" TEXT NOT NULL,
    "pluginId" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "operations" JSONB NOT NULL,
    "skipped" TEXT[],
    "readAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "PluginInterface_pkey" PRIMARY KEY ("workspaceId","pluginId")
);

-- CreateTable
CREATE TABLE "PluginGrant" (
    "stateHash" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "pluginId" TEXT NOT NULL,
    "startedBy" TEXT NOT NULL,
    "sealedVerifier" TEXT NOT NULL,
    "redirectUri" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "PluginGrant_pkey" PRIMARY KEY ("stateHash")
);

-- CreateIndex
CREATE INDEX "PluginGrant_workspaceId_pluginId_idx" ON "PluginGrant"("workspaceId", "pluginId");

-- CreateIndex
CREATE INDEX "PluginGrant_workspaceId_agentId_idx" ON "PluginGrant"("workspaceId", "agentId");

-- CreateIndex
CREATE INDEX "PluginGrant_expiresAt_idx" ON "PluginGrant"("expiresAt");

-- AddForeignKey
ALTER TABLE "PluginInterface" ADD CONSTRAINT "PluginInterface_workspaceId_pluginId_fkey" FOREIGN KEY ("workspaceId", "pluginId") REFERENCES "Plugin"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PluginGrant" ADD CONSTRAINT "PluginGrant_workspaceId_agentId_fkey" FOREIGN KEY ("workspaceId", "agentId") REFERENCES "Agent"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PluginGrant" ADD CONSTRAINT "PluginGrant_workspaceId_pluginId_fkey" FOREIGN KEY ("workspaceId", "pluginId") REFERENCES "Plugin"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;
