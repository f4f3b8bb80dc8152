-- DropIndex
DROP INDEX "AppRole_workspaceId_appId_idx";

-- DropIndex
DROP INDEX "Lead_workspaceId_name_id_idx";

-- DropIndex
DROP INDEX "Passage_workspaceId_baseId_idx";

-- DropIndex
DROP INDEX "Subscription_workspaceId_appId_idx";

-- A name, so marked that a lead without one comes last, in lists that rise and in lists that fall. The mark is the same
-- for all names, so they are in the order of the database's collation.
ALTER TABLE "Lead"
ADD COLUMN "nameFalling" TEXT NOT NULL GENERATED ALWAYS AS (coalesce('1:' || "name", '0')) STORED,
ADD COLUMN "nameRising" TEXT NOT NULL GENERATED ALWAYS AS (coalesce('0:' || "name", '1')) STORED;

-- CreateIndex
CREATE INDEX "App_workspaceId_name_id_idx" ON "App"("workspaceId", "name", "id");

-- CreateIndex
CREATE INDEX "AppRole_workspaceId_membershipId_createdAt_appId_idx" ON "AppRole"("workspaceId", "membershipId", "createdAt", "appId");

-- CreateIndex
CREATE INDEX "AppRole_workspaceId_appId_createdAt_membershipId_idx" ON "AppRole"("workspaceId", "appId", "createdAt", "membershipId");

-- CreateIndex
CREATE INDEX "Conversation_workspaceId_leadId_updatedAt_id_idx" ON "Conversation"("workspaceId", "leadId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Conversation_workspaceId_channelId_updatedAt_id_idx" ON "Conversation"("workspaceId", "channelId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Conversation_workspaceId_platformUserIdentifier_createdAt_i_idx" ON "Conversation"("workspaceId", "platformUserIdentifier", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Lead_workspaceId_nameRising_id_idx" ON "Lead"("workspaceId", "nameRising", "id");

-- CreateIndex
CREATE INDEX "Lead_workspaceId_nameFalling_id_idx" ON "Lead"("workspaceId", "nameFalling", "id");

-- CreateIndex
CREATE INDEX "Lead_workspaceId_agentId_updatedAt_id_idx" ON "Lead"("workspaceId", "agentId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Lead_workspaceId_agentId_nameRising_id_idx" ON "Lead"("workspaceId", "agentId", "nameRising", "id");

-- CreateIndex
CREATE INDEX "Lead_workspaceId_agentId_nameFalling_id_idx" ON "Lead"("workspaceId", "agentId", "nameFalling", "id");

-- CreateIndex
CREATE INDEX "Message_workspaceId_position_id_idx" ON "Message"("workspaceId", "position", "id");

-- CreateIndex
CREATE INDEX "Message_workspaceId_conversationId_createdAt_id_idx" ON "Message"("workspaceId", "conversationId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Passage_workspaceId_baseId_position_id_idx" ON "Passage"("workspaceId", "baseId", "position", "id");

-- CreateIndex
CREATE INDEX "Source_workspaceId_baseId_updatedAt_id_idx" ON "Source"("workspaceId", "baseId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Source_workspaceId_updatedAt_id_idx" ON "Source"("workspaceId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "SourcePage_workspaceId_createdAt_id_idx" ON "SourcePage"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "SourcePage_workspaceId_depth_id_idx" ON "SourcePage"("workspaceId", "depth", "id");

-- CreateIndex
CREATE INDEX "SourcePage_workspaceId_sourceId_createdAt_id_idx" ON "SourcePage"("workspaceId", "sourceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "SourcePage_workspaceId_sourceId_depth_id_idx" ON "SourcePage"("workspaceId", "sourceId", "depth", "id");

-- CreateIndex
CREATE INDEX "Subscription_workspaceId_appId_createdAt_id_idx" ON "Subscription"("workspaceId", "appId", "createdAt", "id");
