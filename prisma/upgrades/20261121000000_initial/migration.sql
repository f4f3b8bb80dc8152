-- Search by parts of words (gin_trgm_ops) and without accents.
CREATE EXTENSION IF NOT EXISTS "pg_trgm";
CREATE EXTENSION IF NOT EXISTS "unaccent";

-- CreateEnum
CREATE TYPE "MemberRole" AS ENUM ('owner', 'admin', 'editor', 'viewer');

-- CreateEnum
CREATE TYPE "SubscriptionStatus" AS ENUM ('trial', 'active', 'canceled', 'ended');

-- CreateEnum
CREATE TYPE "SubscriptionSource" AS ENUM ('self_service', 'third_party');

-- CreateEnum
CREATE TYPE "AgentPurpose" AS ENUM ('leads', 'support', 'sales', 'general');

-- CreateEnum
CREATE TYPE "AgentFreedom" AS ENUM ('restricted', 'balanced', 'free');

-- CreateEnum
CREATE TYPE "AgentBehavior" AS ENUM ('basic', 'advanced');

-- CreateEnum
CREATE TYPE "AgentStatus" AS ENUM ('draft', 'active', 'paused', 'archived');

-- CreateEnum
CREATE TYPE "Platform" AS ENUM ('api', 'widget', 'whatsapp', 'instagram', 'messenger', 'telegram', 'email', 'slack');

-- CreateEnum
CREATE TYPE "ConversationStage" AS ENUM ('identify', 'qualify', 'assist', 'handoff', 'completed');

-- CreateEnum
CREATE TYPE "ConversationStatus" AS ENUM ('active', 'waiting_human', 'resolved', 'archived');

-- CreateEnum
CREATE TYPE "MessageRole" AS ENUM ('system', 'user', 'assistant', 'tool');

-- CreateEnum
CREATE TYPE "FieldType" AS ENUM ('text', 'email', 'phone', 'number', 'url', 'boolean', 'date', 'choice', 'multi_choice', 'cpf', 'cnpj');

-- CreateEnum
CREATE TYPE "BaseStatus" AS ENUM ('succeeded', 'failed', 'in_progress', 'partial');

-- CreateEnum
CREATE TYPE "SourceType" AS ENUM ('site', 'page', 'youtube', 'file', 'audio', 'faq');

-- CreateEnum
CREATE TYPE "SourceStatus" AS ENUM ('in_progress', 'succeeded', 'failed');

-- CreateEnum
CREATE TYPE "LeadCapture" AS ENUM ('completed', 'partial');

-- CreateEnum
CREATE TYPE "PluginAuth" AS ENUM ('none', 'service_http', 'user_http', 'oauth');

-- CreateEnum
CREATE TYPE "MergeRule" AS ENUM ('never', 'email', 'phone', 'any');

-- CreateTable
CREATE TABLE "Workspace" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Workspace_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "User" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "phone" TEXT,
    "picture" TEXT,
    "searchText" TEXT NOT NULL DEFAULT '',
    "termsVersion" TEXT,
    "termsAcceptedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "User_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Membership" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "role" "MemberRole" NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Membership_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "App" (
    "workspaceId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "color" TEXT NOT NULL,
    "redirectUris" TEXT[],
    "roles" JSONB NOT NULL DEFAULT '[]',
    "internal" BOOLEAN NOT NULL DEFAULT false,
    "secretCipher" TEXT NOT NULL,
    "secretHash" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "App_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "AppRole" (
    "workspaceId" TEXT NOT NULL,
    "membershipId" TEXT NOT NULL,
    "appId" TEXT NOT NULL,
    "role" "MemberRole",
    "createdBy" TEXT,
    "updatedBy" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "AppRole_pkey" PRIMARY KEY ("workspaceId","membershipId","appId")
);

-- CreateTable
CREATE TABLE "Subscription" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "status" "SubscriptionStatus" NOT NULL DEFAULT 'trial',
    "appId" TEXT NOT NULL,
    "priceId" TEXT NOT NULL,
    "coupon" TEXT,
    "source" "SubscriptionSource" NOT NULL DEFAULT 'self_service',
    "maxInteractions" INTEGER NOT NULL DEFAULT 1000,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Subscription_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Agent" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "searchText" TEXT NOT NULL DEFAULT '',
    "description" TEXT,
    "avatar" TEXT,
    "color" TEXT NOT NULL DEFAULT '#2563eb',
    "welcome" TEXT,
    "instructions" TEXT,
    "off" TEXT,
    "references" BOOLEAN NOT NULL DEFAULT true,
    "purpose" "AgentPurpose" NOT NULL DEFAULT 'general',
    "freedom" "AgentFreedom" NOT NULL DEFAULT 'balanced',
    "behaviorType" "AgentBehavior" NOT NULL DEFAULT 'basic',
    "status" "AgentStatus" NOT NULL DEFAULT 'draft',
    "left" BOOLEAN NOT NULL DEFAULT false,
    "createdBy" TEXT NOT NULL,
    "updatedBy" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Agent_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "AgentBase" (
    "workspaceId" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "baseId" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "AgentBase_pkey" PRIMARY KEY ("workspaceId","agentId","baseId")
);

-- CreateTable
CREATE TABLE "AgentPlugin" (
    "workspaceId" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "pluginId" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "AgentPlugin_pkey" PRIMARY KEY ("workspaceId","agentId","pluginId")
);

-- CreateTable
CREATE TABLE "Channel" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "platform" "Platform" NOT NULL,
    "credentialsCipher" TEXT NOT NULL,
    "createdBy" TEXT NOT NULL,
    "updatedBy" TEXT NOT NULL,
    "removedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Channel_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Copy" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "promptId" TEXT NOT NULL,
    "completionId" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Copy_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Document" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "name" TEXT NOT NULL DEFAULT '',
    "words" INTEGER NOT NULL DEFAULT 0,
    "paragraphs" INTEGER NOT NULL DEFAULT 0,
    "sentences" INTEGER NOT NULL DEFAULT 0,
    "characters" INTEGER NOT NULL DEFAULT 0,
    "link" TEXT NOT NULL DEFAULT '',
    "kbs" JSONB NOT NULL DEFAULT '[]',
    "content" TEXT NOT NULL DEFAULT '',
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Document_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Conversation" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "channelId" TEXT NOT NULL,
    "leadId" TEXT,
    "title" TEXT NOT NULL DEFAULT '',
    "platform" "Platform" NOT NULL DEFAULT 'api',
    "context" JSONB NOT NULL DEFAULT '{}',
    "platformUserIdentifier" TEXT NOT NULL DEFAULT '',
    "stage" "ConversationStage" NOT NULL DEFAULT 'identify',
    "preview" BOOLEAN NOT NULL DEFAULT false,
    "summary" TEXT,
    "status" "ConversationStatus" NOT NULL DEFAULT 'active',
    "messageCount" INTEGER NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Conversation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Message" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "conversationId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "role" "MessageRole" NOT NULL,
    "name" TEXT,
    "content" TEXT,
    "toolCallId" TEXT,
    "toolCalls" JSONB,
    "feedback" JSONB,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "attachments" JSONB NOT NULL DEFAULT '[]',
    "promptTokens" INTEGER NOT NULL DEFAULT 0,
    "completionTokens" INTEGER NOT NULL DEFAULT 0,
    "cachedTokens" INTEGER NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Message_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Idempotency" (
    "workspaceId" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "response" JSONB,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Idempotency_pkey" PRIMARY KEY ("workspaceId","key")
);

-- CreateTable
CREATE TABLE "Field" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "nameKey" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "active" BOOLEAN NOT NULL DEFAULT true,
    "fixed" BOOLEAN NOT NULL DEFAULT false,
    "type" "FieldType" NOT NULL,
    "options" TEXT[],
    "searchText" TEXT NOT NULL DEFAULT '',
    "createdBy" TEXT NOT NULL,
    "updatedBy" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Field_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Base" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "status" "BaseStatus" NOT NULL DEFAULT 'in_progress',
    "records" INTEGER NOT NULL DEFAULT 0,
    "searchText" TEXT NOT NULL DEFAULT '',
    "createdBy" TEXT,
    "updatedBy" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Base_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Source" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "baseId" TEXT NOT NULL,
    "type" "SourceType" NOT NULL,
    "status" "SourceStatus" NOT NULL DEFAULT 'in_progress',
    "url" TEXT,
    "data" JSONB,
    "title" TEXT,
    "img" TEXT,
    "description" TEXT,
    "size" DOUBLE PRECISION,
    "key" TEXT,
    "ext" TEXT,
    "reason" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "revision" INTEGER NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Source_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Passage" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "baseId" TEXT NOT NULL,
    "sourceId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "text" TEXT NOT NULL,
    "place" JSONB NOT NULL DEFAULT '{}',
    "searchText" TEXT NOT NULL DEFAULT '',
    "lexemes" tsvector,

    CONSTRAINT "Passage_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Lead" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "agentId" TEXT,
    "name" TEXT,
    "email" TEXT,
    "phone" TEXT,
    "company" TEXT,
    "site" TEXT,
    "custom" JSONB NOT NULL DEFAULT '{}',
    "utm" JSONB NOT NULL DEFAULT '{}',
    "capture" "LeadCapture" NOT NULL DEFAULT 'partial',
    "searchText" TEXT NOT NULL DEFAULT '',
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Lead_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Plugin" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "schemaVersion" TEXT NOT NULL DEFAULT 'v1',
    "nameForHuman" TEXT NOT NULL,
    "nameForModel" TEXT NOT NULL,
    "descriptionForHuman" TEXT NOT NULL DEFAULT '',
    "descriptionForModel" TEXT NOT NULL DEFAULT '',
    "authType" "PluginAuth" NOT NULL DEFAULT 'none',
    "apiType" TEXT NOT NULL DEFAULT 'openapi',
    "apiUrl" TEXT NOT NULL DEFAULT '',
    "hasUserAuthentication" BOOLEAN NOT NULL DEFAULT false,
    "logoUrl" TEXT NOT NULL DEFAULT '',
    "contactEmail" TEXT NOT NULL DEFAULT '',
    "legalInfoUrl" TEXT NOT NULL DEFAULT '',
    "url" TEXT NOT NULL DEFAULT '',
    "settingsUrl" TEXT NOT NULL DEFAULT '',
    "oauthClientId" TEXT NOT NULL DEFAULT '',
    "oauthClientSecretCipher" TEXT,
    "disclaimer" TEXT NOT NULL DEFAULT '',
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Plugin_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Credential" (
    "workspaceId" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "pluginId" TEXT NOT NULL,
    "tokenCipher" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Credential_pkey" PRIMARY KEY ("workspaceId","agentId","pluginId")
);

-- CreateTable
CREATE TABLE "SigningKey" (
    "id" TEXT NOT NULL,
    "publicJwk" JSONB NOT NULL,
    "privateCipher" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "retiredAt" TIMESTAMPTZ(3),

    CONSTRAINT "SigningKey_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "EncryptionKey" (
    "id" TEXT NOT NULL,
    "check" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "EncryptionKey_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Settings" (
    "workspaceId" TEXT NOT NULL,
    "merge" "MergeRule" NOT NULL DEFAULT 'never',
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Settings_pkey" PRIMARY KEY ("workspaceId")
);

-- CreateTable
CREATE TABLE "Usage" (
    "workspaceId" TEXT NOT NULL,
    "month" TEXT NOT NULL,
    "current" INTEGER NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Usage_pkey" PRIMARY KEY ("workspaceId","month")
);

-- CreateIndex
CREATE UNIQUE INDEX "User_email_key" ON "User"("email");

-- CreateIndex
CREATE INDEX "User_searchText_idx" ON "User" USING GIN ("searchText" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "Membership_workspaceId_createdAt_id_idx" ON "Membership"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Membership_userId_idx" ON "Membership"("userId");

-- CreateIndex
CREATE UNIQUE INDEX "Membership_workspaceId_id_key" ON "Membership"("workspaceId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Membership_workspaceId_userId_key" ON "Membership"("workspaceId", "userId");

-- CreateIndex
CREATE UNIQUE INDEX "App_secretHash_key" ON "App"("secretHash");

-- CreateIndex
CREATE INDEX "App_workspaceId_createdAt_id_idx" ON "App"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "AppRole_workspaceId_appId_idx" ON "AppRole"("workspaceId", "appId");

-- CreateIndex
CREATE INDEX "Subscription_workspaceId_createdAt_id_idx" ON "Subscription"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Subscription_workspaceId_appId_idx" ON "Subscription"("workspaceId", "appId");

-- CreateIndex
CREATE UNIQUE INDEX "Subscription_workspaceId_id_key" ON "Subscription"("workspaceId", "id");

-- CreateIndex
CREATE INDEX "Agent_workspaceId_createdAt_id_idx" ON "Agent"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Agent_workspaceId_updatedAt_id_idx" ON "Agent"("workspaceId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Agent_workspaceId_name_id_idx" ON "Agent"("workspaceId", "name", "id");

-- CreateIndex
CREATE INDEX "Agent_searchText_idx" ON "Agent" USING GIN ("searchText" gin_trgm_ops);

-- CreateIndex
CREATE UNIQUE INDEX "Agent_workspaceId_id_key" ON "Agent"("workspaceId", "id");

-- CreateIndex
CREATE INDEX "AgentBase_workspaceId_baseId_idx" ON "AgentBase"("workspaceId", "baseId");

-- CreateIndex
CREATE INDEX "AgentPlugin_workspaceId_pluginId_idx" ON "AgentPlugin"("workspaceId", "pluginId");

-- CreateIndex
CREATE INDEX "Channel_workspaceId_createdAt_id_idx" ON "Channel"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Channel_workspaceId_agentId_createdAt_id_idx" ON "Channel"("workspaceId", "agentId", "createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Channel_workspaceId_id_key" ON "Channel"("workspaceId", "id");

-- CreateIndex
CREATE INDEX "Copy_workspaceId_createdAt_id_idx" ON "Copy"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Copy_workspaceId_promptId_createdAt_id_idx" ON "Copy"("workspaceId", "promptId", "createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Copy_workspaceId_id_key" ON "Copy"("workspaceId", "id");

-- CreateIndex
CREATE INDEX "Document_workspaceId_createdAt_id_idx" ON "Document"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Document_workspaceId_updatedAt_id_idx" ON "Document"("workspaceId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Document_workspaceId_name_id_idx" ON "Document"("workspaceId", "name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Document_workspaceId_id_key" ON "Document"("workspaceId", "id");

-- CreateIndex
CREATE INDEX "Conversation_workspaceId_createdAt_id_idx" ON "Conversation"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Conversation_workspaceId_updatedAt_id_idx" ON "Conversation"("workspaceId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Conversation_workspaceId_agentId_createdAt_id_idx" ON "Conversation"("workspaceId", "agentId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Conversation_workspaceId_agentId_updatedAt_id_idx" ON "Conversation"("workspaceId", "agentId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Conversation_workspaceId_leadId_createdAt_id_idx" ON "Conversation"("workspaceId", "leadId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Conversation_workspaceId_channelId_createdAt_id_idx" ON "Conversation"("workspaceId", "channelId", "createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Conversation_workspaceId_id_key" ON "Conversation"("workspaceId", "id");

-- CreateIndex
CREATE INDEX "Message_workspaceId_createdAt_id_idx" ON "Message"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Message_workspaceId_id_key" ON "Message"("workspaceId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Message_workspaceId_conversationId_position_key" ON "Message"("workspaceId", "conversationId", "position");

-- CreateIndex
CREATE INDEX "Idempotency_expiresAt_idx" ON "Idempotency"("expiresAt");

-- CreateIndex
CREATE INDEX "Field_workspaceId_createdAt_id_idx" ON "Field"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Field_workspaceId_name_id_idx" ON "Field"("workspaceId", "name", "id");

-- CreateIndex
CREATE INDEX "Field_searchText_idx" ON "Field" USING GIN ("searchText" gin_trgm_ops);

-- CreateIndex
CREATE UNIQUE INDEX "Field_workspaceId_id_key" ON "Field"("workspaceId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Field_workspaceId_nameKey_key" ON "Field"("workspaceId", "nameKey");

-- CreateIndex
CREATE INDEX "Base_workspaceId_createdAt_id_idx" ON "Base"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Base_workspaceId_updatedAt_id_idx" ON "Base"("workspaceId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Base_searchText_idx" ON "Base" USING GIN ("searchText" gin_trgm_ops);

-- CreateIndex
CREATE UNIQUE INDEX "Base_workspaceId_id_key" ON "Base"("workspaceId", "id");

-- CreateIndex
CREATE INDEX "Source_workspaceId_baseId_createdAt_id_idx" ON "Source"("workspaceId", "baseId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Source_workspaceId_createdAt_id_idx" ON "Source"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Source_workspaceId_id_key" ON "Source"("workspaceId", "id");

-- CreateIndex
CREATE INDEX "Passage_workspaceId_baseId_idx" ON "Passage"("workspaceId", "baseId");

-- CreateIndex
CREATE INDEX "Passage_lexemes_idx" ON "Passage" USING GIN ("lexemes");

-- CreateIndex
CREATE INDEX "Passage_searchText_idx" ON "Passage" USING GIN ("searchText" gin_trgm_ops);

-- CreateIndex
CREATE UNIQUE INDEX "Passage_workspaceId_id_key" ON "Passage"("workspaceId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Passage_workspaceId_sourceId_position_key" ON "Passage"("workspaceId", "sourceId", "position");

-- CreateIndex
CREATE INDEX "Lead_workspaceId_createdAt_id_idx" ON "Lead"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Lead_workspaceId_updatedAt_id_idx" ON "Lead"("workspaceId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Lead_workspaceId_name_id_idx" ON "Lead"("workspaceId", "name", "id");

-- CreateIndex
CREATE INDEX "Lead_workspaceId_agentId_createdAt_id_idx" ON "Lead"("workspaceId", "agentId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Lead_workspaceId_email_idx" ON "Lead"("workspaceId", "email");

-- CreateIndex
CREATE INDEX "Lead_workspaceId_phone_idx" ON "Lead"("workspaceId", "phone");

-- CreateIndex
CREATE INDEX "Lead_searchText_idx" ON "Lead" USING GIN ("searchText" gin_trgm_ops);

-- CreateIndex
CREATE UNIQUE INDEX "Lead_workspaceId_id_key" ON "Lead"("workspaceId", "id");

-- CreateIndex
CREATE INDEX "Plugin_workspaceId_createdAt_id_idx" ON "Plugin"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Plugin_workspaceId_nameForHuman_id_idx" ON "Plugin"("workspaceId", "nameForHuman", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Plugin_workspaceId_id_key" ON "Plugin"("workspaceId", "id");

-- CreateIndex
CREATE INDEX "Credential_workspaceId_pluginId_idx" ON "Credential"("workspaceId", "pluginId");

-- AddForeignKey
ALTER TABLE "Membership" ADD CONSTRAINT "Membership_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Membership" ADD CONSTRAINT "Membership_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "App" ADD CONSTRAINT "App_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "AppRole" ADD CONSTRAINT "AppRole_workspaceId_membershipId_fkey" FOREIGN KEY ("workspaceId", "membershipId") REFERENCES "Membership"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "AppRole" ADD CONSTRAINT "AppRole_workspaceId_appId_fkey" FOREIGN KEY ("workspaceId", "appId") REFERENCES "App"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Subscription" ADD CONSTRAINT "Subscription_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Subscription" ADD CONSTRAINT "Subscription_workspaceId_appId_fkey" FOREIGN KEY ("workspaceId", "appId") REFERENCES "App"("workspaceId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Agent" ADD CONSTRAINT "Agent_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "AgentBase" ADD CONSTRAINT "AgentBase_workspaceId_agentId_fkey" FOREIGN KEY ("workspaceId", "agentId") REFERENCES "Agent"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "AgentBase" ADD CONSTRAINT "AgentBase_workspaceId_baseId_fkey" FOREIGN KEY ("workspaceId", "baseId") REFERENCES "Base"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "AgentPlugin" ADD CONSTRAINT "AgentPlugin_workspaceId_agentId_fkey" FOREIGN KEY ("workspaceId", "agentId") REFERENCES "Agent"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "AgentPlugin" ADD CONSTRAINT "AgentPlugin_workspaceId_pluginId_fkey" FOREIGN KEY ("workspaceId", "pluginId") REFERENCES "Plugin"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Channel" ADD CONSTRAINT "Channel_workspaceId_agentId_fkey" FOREIGN KEY ("workspaceId", "agentId") REFERENCES "Agent"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Copy" ADD CONSTRAINT "Copy_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Document" ADD CONSTRAINT "Document_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Conversation" ADD CONSTRAINT "Conversation_workspaceId_agentId_fkey" FOREIGN KEY ("workspaceId", "agentId") REFERENCES "Agent"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Conversation" ADD CONSTRAINT "Conversation_workspaceId_channelId_fkey" FOREIGN KEY ("workspaceId", "channelId") REFERENCES "Channel"("workspaceId", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Conversation" ADD CONSTRAINT "Conversation_workspaceId_leadId_fkey" FOREIGN KEY ("workspaceId", "leadId") REFERENCES "Lead"("workspaceId", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Message" ADD CONSTRAINT "Message_workspaceId_conversationId_fkey" FOREIGN KEY ("workspaceId", "conversationId") REFERENCES "Conversation"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Idempotency" ADD CONSTRAINT "Idempotency_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Field" ADD CONSTRAINT "Field_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Base" ADD CONSTRAINT "Base_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Source" ADD CONSTRAINT "Source_workspaceId_baseId_fkey" FOREIGN KEY ("workspaceId", "baseId") REFERENCES "Base"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Passage" ADD CONSTRAINT "Passage_workspaceId_baseId_fkey" FOREIGN KEY ("workspaceId", "baseId") REFERENCES "Base"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Passage" ADD CONSTRAINT "Passage_workspaceId_sourceId_fkey" FOREIGN KEY ("workspaceId", "sourceId") REFERENCES "Source"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Lead" ADD CONSTRAINT "Lead_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Lead" ADD CONSTRAINT "Lead_workspaceId_agentId_fkey" FOREIGN KEY ("workspaceId", "agentId") REFERENCES "Agent"("workspaceId", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Plugin" ADD CONSTRAINT "Plugin_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Credential" ADD CONSTRAINT "Credential_workspaceId_agentId_fkey" FOREIGN KEY ("workspaceId", "agentId") REFERENCES "Agent"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Credential" ADD CONSTRAINT "Credential_workspaceId_pluginId_fkey" FOREIGN KEY ("workspaceId", "pluginId") REFERENCES "Plugin"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Settings" ADD CONSTRAINT "Settings_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Usage" ADD CONSTRAINT "Usage_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;
