-- The schema of 0.2.0, for new databases. One that is older goes on along prisma/upgrades, and has the same schema then.

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
CREATE TYPE "AuditAction" AS ENUM ('created', 'updated', 'deleted', 'taken_over', 'handed_back', 'exported', 'erased', 'token_issued');

-- CreateEnum
CREATE TYPE "AuditActorKind" AS ENUM ('member', 'key', 'app', 'operator', 'invitee', 'visitor', 'system');

-- CreateEnum
CREATE TYPE "Platform" AS ENUM ('api', 'widget', 'whatsapp', 'instagram', 'messenger', 'telegram', 'email', 'slack');

-- CreateEnum
CREATE TYPE "ConversationStage" AS ENUM ('identify', 'qualify', 'assist', 'handoff', 'completed');

-- CreateEnum
CREATE TYPE "ConversationStatus" AS ENUM ('active', 'waiting_human', 'resolved', 'archived');

-- CreateEnum
CREATE TYPE "ConversationOutcome" AS ENUM ('resolved_by_agent', 'resolved_by_person', 'handed_over', 'abandoned');

-- CreateEnum
CREATE TYPE "MessageRole" AS ENUM ('system', 'user', 'assistant', 'tool');

-- CreateEnum
CREATE TYPE "MessageRating" AS ENUM ('like', 'dislike');

-- CreateEnum
CREATE TYPE "FieldType" AS ENUM ('text', 'email', 'phone', 'number', 'url', 'boolean', 'date', 'choice', 'multi_choice', 'cpf', 'cnpj');

-- CreateEnum
CREATE TYPE "AlertState" AS ENUM ('quiet', 'pending', 'started');

-- CreateEnum
CREATE TYPE "ErasureStatus" AS ENUM ('in_progress', 'completed');

-- CreateEnum
CREATE TYPE "EvaluationStatus" AS ENUM ('in_progress', 'succeeded', 'failed');

-- CreateEnum
CREATE TYPE "GapState" AS ENUM ('open', 'answered', 'dismissed');

-- CreateEnum
CREATE TYPE "GapReason" AS ENUM ('nothing_found', 'unknown');

-- CreateEnum
CREATE TYPE "BaseStatus" AS ENUM ('succeeded', 'failed', 'in_progress', 'partial');

-- CreateEnum
CREATE TYPE "SourceType" AS ENUM ('site', 'page', 'youtube', 'file', 'audio', 'faq');

-- CreateEnum
CREATE TYPE "SourceStatus" AS ENUM ('in_progress', 'succeeded', 'failed');

-- CreateEnum
CREATE TYPE "RefreshInterval" AS ENUM ('hourly', 'daily', 'weekly', 'monthly');

-- CreateEnum
CREATE TYPE "LeadCapture" AS ENUM ('completed', 'partial');

-- CreateEnum
CREATE TYPE "PluginAuth" AS ENUM ('none', 'service_http', 'user_http', 'oauth');

-- CreateEnum
CREATE TYPE "CredentialStatus" AS ENUM ('active', 'reauthorization_required');

-- CreateEnum
CREATE TYPE "SourcePageStatus" AS ENUM ('waiting', 'succeeded', 'failed', 'skipped');

-- CreateEnum
CREATE TYPE "TurnState" AS ENUM ('open', 'answered', 'stopped', 'failed');

-- CreateEnum
CREATE TYPE "MergeRule" AS ENUM ('never', 'email', 'phone', 'any');

-- CreateEnum
CREATE TYPE "DemoState" AS ENUM ('unfinished', 'copied');

-- CreateEnum
CREATE TYPE "WebhookEvent" AS ENUM ('message_created', 'conversation_created', 'conversation_updated', 'lead_created', 'lead_updated', 'lead_removed', 'source_succeeded', 'source_failed', 'usage_threshold', 'ping', 'alert_started', 'alert_ended', 'alert_paused');

-- CreateEnum
CREATE TYPE "WebhookDeliveryStatus" AS ENUM ('pending', 'succeeded', 'failed');

-- CreateTable
CREATE TABLE "Workspace" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "maxInteractions" INTEGER,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Workspace_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "User" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "invitedTo" TEXT NOT NULL DEFAULT '',
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
    "acceptedAt" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "acceptedByLink" BOOLEAN NOT NULL DEFAULT false,
    "linkHash" TEXT,
    "linkExpiresAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Membership_pkey" PRIMARY KEY ("workspaceId","id")
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
    "ownersOnly" BOOLEAN NOT NULL DEFAULT false,
    "unrestricted" BOOLEAN NOT NULL DEFAULT false,
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
    "enforced" BOOLEAN NOT NULL DEFAULT true,
    "createdBy" TEXT,
    "updatedBy" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "AppRole_pkey" PRIMARY KEY ("workspaceId","membershipId","appId")
);

-- CreateTable
CREATE TABLE "Key" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "membershipId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "scopes" TEXT[],
    "agentIds" TEXT[],
    "baseIds" TEXT[],
    "operations" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "dashboardId" TEXT,
    "secretHash" TEXT NOT NULL,
    "hint" TEXT NOT NULL,
    "ratePerMinute" INTEGER,
    "costPerMinute" INTEGER,
    "expiresAt" TIMESTAMPTZ(3),
    "revokedAt" TIMESTAMPTZ(3),
    "lastUsedAt" TIMESTAMPTZ(3),
    "lastUsedFrom" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Key_pkey" PRIMARY KEY ("workspaceId","id")
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

    CONSTRAINT "Subscription_pkey" PRIMARY KEY ("workspaceId","id")
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
    "model" TEXT,
    "fallbackModel" TEXT,
    "temperature" DOUBLE PRECISION,
    "maxOutputTokens" INTEGER,
    "timeoutMs" INTEGER,
    "resolveAfterMinutes" INTEGER NOT NULL DEFAULT 1440,
    "sourceTags" JSONB NOT NULL DEFAULT '{}',
    "retention" JSONB,
    "left" BOOLEAN NOT NULL DEFAULT false,
    "createdBy" TEXT NOT NULL,
    "updatedBy" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Agent_pkey" PRIMARY KEY ("workspaceId","id")
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
CREATE TABLE "AuditEntry" (
    "workspaceId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "actorKind" "AuditActorKind" NOT NULL,
    "actorId" TEXT,
    "onBehalfOfId" TEXT,
    "address" TEXT,
    "action" "AuditAction" NOT NULL,
    "type" TEXT NOT NULL,
    "rowId" TEXT NOT NULL,
    "fields" TEXT[],
    "changes" JSONB NOT NULL DEFAULT '{}',
    "transaction" TEXT NOT NULL DEFAULT '',
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "AuditEntry_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "Channel" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "platform" "Platform" NOT NULL,
    "credentialsCipher" TEXT NOT NULL,
    "publishableToken" TEXT,
    "identitySecretCipher" TEXT,
    "origins" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "form" JSONB NOT NULL DEFAULT '[]',
    "greetings" JSONB NOT NULL DEFAULT '[]',
    "createdBy" TEXT NOT NULL,
    "updatedBy" TEXT NOT NULL,
    "removedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Channel_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE UNLOGGED TABLE "WidgetWindow" (
    "key" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "endsAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "WidgetWindow_pkey" PRIMARY KEY ("key")
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

    CONSTRAINT "Copy_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "Document" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "name" TEXT NOT NULL DEFAULT '',
    "words" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "paragraphs" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "sentences" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "characters" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "link" TEXT NOT NULL DEFAULT '',
    "kbs" JSONB NOT NULL DEFAULT '[]',
    "content" TEXT NOT NULL DEFAULT '',
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Document_pkey" PRIMARY KEY ("workspaceId","id")
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
    "summarizedTo" INTEGER NOT NULL DEFAULT 0,
    "status" "ConversationStatus" NOT NULL DEFAULT 'active',
    "outcome" "ConversationOutcome",
    "satisfaction" INTEGER,
    "satisfactionComment" TEXT,
    "satisfactionAt" TIMESTAMPTZ(3),
    "messageCount" INTEGER NOT NULL DEFAULT 0,
    "duration" INTEGER,
    "handedOver" BOOLEAN,
    "turnId" TEXT,
    "takenOverBy" TEXT,
    "takenOverAt" TIMESTAMPTZ(3),
    "chatOwner" TEXT,
    "chatId" TEXT,
    "branchedFromId" TEXT,
    "branchedAtId" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Conversation_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "ReachedStage" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "conversationId" TEXT NOT NULL,
    "stage" "ConversationStage" NOT NULL,
    "beganAt" TIMESTAMPTZ(3) NOT NULL,
    "reachedAt" TIMESTAMPTZ(3) NOT NULL,
    "elapsed" INTEGER NOT NULL,

    CONSTRAINT "ReachedStage_pkey" PRIMARY KEY ("workspaceId","id")
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
    "promptTokens" INTEGER,
    "completionTokens" INTEGER,
    "cachedTokens" INTEGER,
    "agentId" TEXT,
    "channelId" TEXT,
    "model" TEXT,
    "cost" DOUBLE PRECISION,
    "replyTime" INTEGER,
    "timeToFirstToken" INTEGER,
    "rating" "MessageRating",
    "createdBy" TEXT,
    "searchNumber" INTEGER,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Message_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "MessageAlternative" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "conversationId" TEXT NOT NULL,
    "messageId" TEXT NOT NULL,
    "content" TEXT,
    "toolCalls" JSONB,
    "feedback" JSONB,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "steps" JSONB NOT NULL DEFAULT '[]',
    "trace" JSONB,
    "promptTokens" INTEGER DEFAULT 0,
    "completionTokens" INTEGER DEFAULT 0,
    "cachedTokens" INTEGER DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "replacedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "MessageAlternative_pkey" PRIMARY KEY ("workspaceId","id")
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

    CONSTRAINT "Field_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "Dashboard" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "formerNames" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "title" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "last" TEXT,
    "timeZone" TEXT,
    "tiles" JSONB NOT NULL DEFAULT '[]',
    "createdBy" TEXT NOT NULL,
    "updatedBy" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Dashboard_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "Alert" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "dashboardId" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "queryHash" TEXT,
    "runsAs" TEXT NOT NULL,
    "state" "AlertState" NOT NULL DEFAULT 'quiet',
    "since" TIMESTAMPTZ(3),
    "pausedReason" TEXT,
    "waitingReason" TEXT,
    "checkedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Alert_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "ErasureReceipt" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "status" "ErasureStatus" NOT NULL DEFAULT 'in_progress',
    "deleted" JSONB NOT NULL,
    "sourceIds" TEXT[],
    "remains" TEXT[],
    "backupsUntil" TIMESTAMPTZ(3),
    "filesDeletedAt" TIMESTAMPTZ(3),
    "indexCleanedAt" TIMESTAMPTZ(3),
    "vacuumedAt" TIMESTAMPTZ(3),
    "checkpointedAt" TIMESTAMPTZ(3),
    "completedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ErasureReceipt_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "EvaluationCase" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "question" TEXT NOT NULL,
    "questionKey" TEXT NOT NULL,
    "expectedSourceId" TEXT,
    "expectedText" TEXT,
    "searchText" TEXT NOT NULL DEFAULT '',
    "createdBy" TEXT NOT NULL,
    "updatedBy" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "EvaluationCase_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "EvaluationRun" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "status" "EvaluationStatus" NOT NULL DEFAULT 'in_progress',
    "reason" TEXT,
    "answers" BOOLEAN NOT NULL,
    "caseCount" INTEGER NOT NULL,
    "doneCount" INTEGER NOT NULL DEFAULT 0,
    "passedCount" INTEGER NOT NULL DEFAULT 0,
    "foundCount" INTEGER NOT NULL DEFAULT 0,
    "newlyFailingCount" INTEGER NOT NULL DEFAULT 0,
    "previousId" TEXT,
    "endedAt" TIMESTAMPTZ(3),
    "createdBy" TEXT NOT NULL,
    "updatedBy" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "EvaluationRun_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "EvaluationResult" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "runId" TEXT NOT NULL,
    "caseId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "question" TEXT NOT NULL,
    "expectedSourceId" TEXT,
    "expectedText" TEXT,
    "passed" BOOLEAN,
    "rank" INTEGER,
    "contained" BOOLEAN,
    "cited" BOOLEAN,
    "answer" TEXT,
    "failure" TEXT,
    "newlyFailing" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "EvaluationResult_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "StoredFile" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "hash" TEXT,
    "size" INTEGER NOT NULL,
    "stored" BOOLEAN NOT NULL DEFAULT false,
    "text" TEXT,
    "checkAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "StoredFile_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "MessageFile" (
    "workspaceId" TEXT NOT NULL,
    "messageId" TEXT NOT NULL,
    "fileId" TEXT NOT NULL,

    CONSTRAINT "MessageFile_pkey" PRIMARY KEY ("workspaceId","messageId","fileId")
);

-- CreateTable
CREATE TABLE "Gap" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "state" "GapState" NOT NULL DEFAULT 'open',
    "marks" TEXT[],
    "count" INTEGER NOT NULL DEFAULT 1,
    "firstAskedAt" TIMESTAMPTZ(3) NOT NULL,
    "lastAskedAt" TIMESTAMPTZ(3) NOT NULL,
    "rank" TEXT NOT NULL GENERATED ALWAYS AS (
        lpad("count"::text, 10, '0') || lpad(floor(date_part('epoch', "lastAskedAt" AT TIME ZONE 'UTC'))::bigint::text, 11, '0')
    ) STORED,
    "sourceId" TEXT,
    "updatedBy" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Gap_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "GapQuestion" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "gapId" TEXT NOT NULL,
    "messageId" TEXT NOT NULL,
    "reason" "GapReason" NOT NULL,
    "askedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "GapQuestion_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "GapProposal" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "gapId" TEXT NOT NULL,
    "questionId" TEXT NOT NULL,
    "messageId" TEXT NOT NULL,
    "createdBy" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "GapProposal_pkey" PRIMARY KEY ("workspaceId","id")
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

    CONSTRAINT "Base_pkey" PRIMARY KEY ("workspaceId","id")
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
    "tags" JSONB NOT NULL DEFAULT '{}',
    "reason" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "revision" INTEGER NOT NULL DEFAULT 0,
    "contentHash" TEXT,
    "found" JSONB,
    "warnings" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "done" INTEGER NOT NULL DEFAULT 0,
    "total" INTEGER,
    "refreshEvery" "RefreshInterval",
    "nextRefreshAt" TIMESTAMPTZ(3),
    "refreshing" BOOLEAN NOT NULL DEFAULT false,
    "lastRefreshError" TEXT,
    "validators" JSONB,
    "embeddedAs" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Source_pkey" PRIMARY KEY ("workspaceId","id")
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
    "segment" BIGINT,
    "slot" SMALLINT,
    "words" SMALLINT NOT NULL DEFAULT 0,

    CONSTRAINT "Passage_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "Citation" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "sourceId" TEXT NOT NULL,
    "messageId" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Citation_pkey" PRIMARY KEY ("workspaceId","id")
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
    -- Names in both directions, with those that are missing last.
    "nameRising" TEXT NOT NULL GENERATED ALWAYS AS (coalesce('0:' || "name", '1')) STORED,
    "nameFalling" TEXT NOT NULL GENERATED ALWAYS AS (coalesce('1:' || "name", '0')) STORED,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Lead_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "LeadValue" (
    "workspaceId" TEXT NOT NULL,
    "leadId" TEXT NOT NULL,
    "field" TEXT NOT NULL,
    "value" JSONB NOT NULL,
    "messageId" TEXT NOT NULL,
    "capturedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "LeadValue_pkey" PRIMARY KEY ("workspaceId","leadId","field")
);

-- CreateTable
CREATE TABLE "MessageSegment" (
    "number" BIGSERIAL NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "first" INTEGER NOT NULL,
    "size" INTEGER NOT NULL,
    "live" INTEGER NOT NULL,
    "words" INTEGER NOT NULL,
    "gone" BYTEA NOT NULL DEFAULT '\x',
    "draft" BOOLEAN NOT NULL DEFAULT false,
    "analysis" SMALLINT NOT NULL DEFAULT 0,

    CONSTRAINT "MessageSegment_pkey" PRIMARY KEY ("workspaceId","number")
);

-- CreateTable
CREATE TABLE "MessageTerm" (
    "workspaceId" TEXT NOT NULL,
    "term" TEXT COLLATE "C" NOT NULL,
    "segment" BIGINT NOT NULL,
    "block" BYTEA NOT NULL,

    CONSTRAINT "MessageTerm_pkey" PRIMARY KEY ("workspaceId","term","segment")
);

-- CreateTable
CREATE TABLE "MessageTrace" (
    "workspaceId" TEXT NOT NULL,
    "messageId" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "MessageTrace_pkey" PRIMARY KEY ("workspaceId","messageId")
);

-- CreateTable
CREATE TABLE "SavedOperation" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "document" TEXT NOT NULL,
    "documentHash" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "variables" JSONB NOT NULL DEFAULT '{}',
    "chart" JSONB NOT NULL DEFAULT '{}',
    "maxAge" INTEGER,
    "cost" INTEGER,
    "createdBy" TEXT NOT NULL,
    "updatedBy" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "SavedOperation_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "PassageEmbedding" (
    "workspaceId" TEXT NOT NULL,
    "baseId" TEXT NOT NULL,
    "sourceId" TEXT NOT NULL,
    "passageId" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "dimensions" SMALLINT NOT NULL,
    "hash" TEXT NOT NULL,
    "embedding" REAL[],

    CONSTRAINT "PassageEmbedding_pkey" PRIMARY KEY ("workspaceId","passageId","model")
);

-- CreateTable
CREATE TABLE "PassageSegment" (
    "number" BIGSERIAL NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "baseId" TEXT NOT NULL,
    "sourceId" TEXT,
    "draft" TEXT,
    "size" INTEGER NOT NULL,
    "live" INTEGER NOT NULL,
    "words" INTEGER NOT NULL,
    "gone" BYTEA NOT NULL DEFAULT '\x',
    "vocabulary" TEXT NOT NULL DEFAULT '',
    "run" BIGINT,
    "start" INTEGER NOT NULL DEFAULT 0,
    "analysis" SMALLINT NOT NULL DEFAULT 0,

    CONSTRAINT "PassageSegment_pkey" PRIMARY KEY ("workspaceId","number")
);

-- CreateTable
CREATE TABLE "PassageRun" (
    "number" BIGINT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "baseId" TEXT NOT NULL,
    "size" INTEGER NOT NULL,

    CONSTRAINT "PassageRun_pkey" PRIMARY KEY ("workspaceId","number")
);

-- CreateTable
CREATE TABLE "PassageTerm" (
    "workspaceId" TEXT NOT NULL,
    "term" TEXT COLLATE "C" NOT NULL,
    "segment" BIGINT NOT NULL,
    "block" BYTEA NOT NULL,

    CONSTRAINT "PassageTerm_pkey" PRIMARY KEY ("workspaceId","term","segment")
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
    "clientSecretOrigins" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "disclaimer" TEXT NOT NULL DEFAULT '',
    "tokenIn" TEXT NOT NULL DEFAULT 'header',
    "tokenName" TEXT NOT NULL DEFAULT 'Authorization',
    "tokenPrefix" TEXT NOT NULL DEFAULT 'Bearer ',
    "serviceTokenCipher" TEXT,
    "serviceTokenOrigins" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "authorizationUrl" TEXT NOT NULL DEFAULT '',
    "tokenUrl" TEXT NOT NULL DEFAULT '',
    "revocationUrl" TEXT NOT NULL DEFAULT '',
    "oauthScope" TEXT NOT NULL DEFAULT '',
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Plugin_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "PluginInterface" (
    "workspaceId" TEXT NOT NULL,
    "pluginId" TEXT NOT NULL,
    "address" TEXT NOT NULL DEFAULT '',
    "title" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "operations" JSONB NOT NULL,
    "skipped" TEXT[],
    "readAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "PluginInterface_pkey" PRIMARY KEY ("workspaceId","pluginId")
);

-- CreateTable
CREATE TABLE "Credential" (
    "workspaceId" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "pluginId" TEXT NOT NULL,
    "tokenCipher" TEXT NOT NULL,
    "origins" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "expiresAt" TIMESTAMPTZ(3),
    "refreshTokenCipher" TEXT,
    "refreshOrigins" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "scope" TEXT NOT NULL DEFAULT '',
    "status" "CredentialStatus" NOT NULL DEFAULT 'active',
    "failure" TEXT,
    "refreshingUntil" TIMESTAMPTZ(3),
    "grantedBy" TEXT NOT NULL DEFAULT '',
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Credential_pkey" PRIMARY KEY ("workspaceId","agentId","pluginId")
);

-- CreateTable
CREATE TABLE "PluginGrant" (
    "stateHash" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "pluginId" TEXT NOT NULL,
    "ticketHash" TEXT,
    "browserHash" TEXT,
    "startedBy" TEXT NOT NULL,
    "sealedVerifier" TEXT NOT NULL,
    "redirectUri" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "PluginGrant_pkey" PRIMARY KEY ("workspaceId","stateHash")
);

-- CreateTable
CREATE TABLE "PluginCall" (
    "workspaceId" TEXT NOT NULL,
    "conversationId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "callHash" TEXT NOT NULL,
    "occurrence" INTEGER NOT NULL,
    "result" JSONB,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "PluginCall_pkey" PRIMARY KEY ("workspaceId","conversationId","position","callHash","occurrence")
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
CREATE UNLOGGED TABLE "Gateway" (
    "id" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "version" TEXT NOT NULL,
    "startedAt" TIMESTAMPTZ(3) NOT NULL,
    "seenAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Gateway_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "SourcePage" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "sourceId" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "status" "SourcePageStatus" NOT NULL DEFAULT 'waiting',
    "reason" TEXT,
    "title" TEXT,
    "depth" INTEGER NOT NULL DEFAULT 0,
    "revision" INTEGER NOT NULL,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "contentHash" TEXT,
    "firstPosition" INTEGER NOT NULL DEFAULT 0,
    "records" INTEGER NOT NULL DEFAULT 0,
    "readAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "SourcePage_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "Turn" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "conversationId" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "state" "TurnState" NOT NULL DEFAULT 'open',
    "inputFrom" INTEGER NOT NULL,
    "inputTo" INTEGER NOT NULL,
    "regenerates" BOOLEAN NOT NULL DEFAULT false,
    "silent" BOOLEAN NOT NULL DEFAULT false,
    "month" TEXT,
    "aliveUntil" TIMESTAMPTZ(3) NOT NULL DEFAULT (clock_timestamp() + '00:00:15'::interval),
    "stopAsked" BOOLEAN NOT NULL DEFAULT false,
    "messageIds" TEXT[],
    "failure" JSONB,
    "streamUntil" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "endedAt" TIMESTAMPTZ(3),
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Turn_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "TurnBatch" (
    "workspaceId" TEXT NOT NULL,
    "turnId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "parts" JSONB NOT NULL,

    CONSTRAINT "TurnBatch_pkey" PRIMARY KEY ("workspaceId","turnId","position")
);

-- CreateTable
CREATE TABLE "Idempotency" (
    "workspaceId" TEXT NOT NULL DEFAULT '',
    "caller" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "turnId" TEXT,
    "answerCipher" TEXT,
    "about" TEXT[],
    "holder" TEXT,
    "aliveUntil" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Idempotency_pkey" PRIMARY KEY ("workspaceId","caller","key")
);

-- CreateTable
CREATE TABLE "OutboxEvent" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "position" BIGINT NOT NULL DEFAULT 0,
    "type" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "onceAs" TEXT,
    "traceparent" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "OutboxEvent_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "Settings" (
    "workspaceId" TEXT NOT NULL,
    "merge" "MergeRule" NOT NULL DEFAULT 'never',
    "requestsPerMinute" INTEGER,
    "costPerMinute" INTEGER,
    "tokenRequestsPerMinute" INTEGER,
    "tokenCostPerMinute" INTEGER,
    "retention" JSONB NOT NULL DEFAULT '{}',
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Settings_pkey" PRIMARY KEY ("workspaceId")
);

-- CreateTable
CREATE TABLE "Interaction" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "month" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "channelId" TEXT NOT NULL,
    "model" TEXT,
    "promptTokens" INTEGER,
    "completionTokens" INTEGER,
    "cachedTokens" INTEGER,
    "cost" DOUBLE PRECISION,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Interaction_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "DemoProgress" (
    "state" "DemoState" NOT NULL,

    CONSTRAINT "DemoProgress_pkey" PRIMARY KEY ("state")
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

-- CreateTable
CREATE TABLE "Webhook" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "events" "WebhookEvent"[] DEFAULT ARRAY[]::"WebhookEvent"[],
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "disabledReason" TEXT,
    "failingSince" TIMESTAMPTZ(3),
    "secretCipher" TEXT NOT NULL,
    "previousSecretCipher" TEXT,
    "previousSecretUntil" TIMESTAMPTZ(3),
    "runsAs" TEXT NOT NULL,
    "createdBy" TEXT NOT NULL,
    "updatedBy" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Webhook_pkey" PRIMARY KEY ("workspaceId","id")
);

-- CreateTable
CREATE TABLE "WebhookDelivery" (
    "id" TEXT NOT NULL,
    "workspaceId" TEXT NOT NULL,
    "webhookId" TEXT NOT NULL,
    "eventId" TEXT NOT NULL,
    "event" "WebhookEvent" NOT NULL,
    "status" "WebhookDeliveryStatus" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "claims" INTEGER NOT NULL DEFAULT 0,
    "nextAttemptAt" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "lastAttemptAt" TIMESTAMPTZ(3),
    "responseStatus" INTEGER,
    "error" TEXT,
    "durationMs" INTEGER,
    "body" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "WebhookDelivery_pkey" PRIMARY KEY ("workspaceId","id")
);

-- Packed already: compressing it again would only cost time.
ALTER TABLE "MessageTerm" ALTER COLUMN "block" SET STORAGE EXTERNAL;
ALTER TABLE "PassageTerm" ALTER COLUMN "block" SET STORAGE EXTERNAL;
ALTER TABLE "PassageEmbedding" ALTER COLUMN "embedding" SET STORAGE EXTERNAL;
ALTER TABLE "PassageSegment" ALTER COLUMN "vocabulary" SET STORAGE EXTERNAL;

-- CreateIndex
CREATE INDEX "User_searchText_idx" ON "User" USING GIN ("searchText" gin_trgm_ops);

-- CreateIndex
CREATE UNIQUE INDEX "User_email_invitedTo_key" ON "User"("email", "invitedTo");

-- CreateIndex
CREATE INDEX "Membership_linkHash_idx" ON "Membership"("linkHash");

-- CreateIndex
CREATE INDEX "Membership_workspaceId_createdAt_id_idx" ON "Membership"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Membership_userId_idx" ON "Membership"("userId");

-- CreateIndex
CREATE UNIQUE INDEX "Membership_workspaceId_userId_key" ON "Membership"("workspaceId", "userId");

-- CreateIndex
CREATE UNIQUE INDEX "Membership_workspaceId_linkHash_key" ON "Membership"("workspaceId", "linkHash");

-- CreateIndex
CREATE INDEX "App_secretHash_idx" ON "App"("secretHash");

-- CreateIndex
CREATE INDEX "App_workspaceId_createdAt_id_idx" ON "App"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "App_workspaceId_name_id_idx" ON "App"("workspaceId", "name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "App_workspaceId_secretHash_key" ON "App"("workspaceId", "secretHash");

-- CreateIndex
CREATE INDEX "AppRole_workspaceId_membershipId_createdAt_appId_idx" ON "AppRole"("workspaceId", "membershipId", "createdAt", "appId");

-- CreateIndex
CREATE INDEX "AppRole_workspaceId_appId_createdAt_membershipId_idx" ON "AppRole"("workspaceId", "appId", "createdAt", "membershipId");

-- CreateIndex
CREATE INDEX "Key_secretHash_idx" ON "Key"("secretHash");

-- CreateIndex
CREATE INDEX "Key_workspaceId_createdAt_id_idx" ON "Key"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Key_workspaceId_name_id_idx" ON "Key"("workspaceId", "name", "id");

-- CreateIndex
CREATE INDEX "Key_workspaceId_membershipId_createdAt_id_idx" ON "Key"("workspaceId", "membershipId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Key_workspaceId_membershipId_name_id_idx" ON "Key"("workspaceId", "membershipId", "name", "id");

-- CreateIndex
CREATE INDEX "Key_workspaceId_dashboardId_createdAt_id_idx" ON "Key"("workspaceId", "dashboardId", "createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Key_workspaceId_secretHash_key" ON "Key"("workspaceId", "secretHash");

-- CreateIndex
CREATE INDEX "Subscription_workspaceId_createdAt_id_idx" ON "Subscription"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Subscription_workspaceId_appId_createdAt_id_idx" ON "Subscription"("workspaceId", "appId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Agent_workspaceId_createdAt_id_idx" ON "Agent"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Agent_workspaceId_updatedAt_id_idx" ON "Agent"("workspaceId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Agent_workspaceId_name_id_idx" ON "Agent"("workspaceId", "name", "id");

-- CreateIndex
CREATE INDEX "Agent_searchText_idx" ON "Agent" USING GIN ("searchText" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "AgentBase_workspaceId_baseId_idx" ON "AgentBase"("workspaceId", "baseId");

-- CreateIndex
CREATE INDEX "AgentPlugin_workspaceId_pluginId_idx" ON "AgentPlugin"("workspaceId", "pluginId");

-- CreateIndex
CREATE INDEX "AuditEntry_workspaceId_createdAt_id_idx" ON "AuditEntry"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "AuditEntry_workspaceId_actorId_createdAt_id_idx" ON "AuditEntry"("workspaceId", "actorId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "AuditEntry_workspaceId_onBehalfOfId_createdAt_id_idx" ON "AuditEntry"("workspaceId", "onBehalfOfId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "AuditEntry_workspaceId_rowId_createdAt_id_idx" ON "AuditEntry"("workspaceId", "rowId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "AuditEntry_createdAt_idx" ON "AuditEntry"("createdAt");

-- CreateIndex
CREATE INDEX "Channel_publishableToken_idx" ON "Channel"("publishableToken");

-- CreateIndex
CREATE INDEX "Channel_workspaceId_createdAt_id_idx" ON "Channel"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Channel_workspaceId_agentId_createdAt_id_idx" ON "Channel"("workspaceId", "agentId", "createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Channel_workspaceId_publishableToken_key" ON "Channel"("workspaceId", "publishableToken");

-- CreateIndex
CREATE INDEX "Copy_workspaceId_createdAt_id_idx" ON "Copy"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Copy_workspaceId_promptId_createdAt_id_idx" ON "Copy"("workspaceId", "promptId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Document_workspaceId_createdAt_id_idx" ON "Document"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Document_workspaceId_updatedAt_id_idx" ON "Document"("workspaceId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Document_workspaceId_name_id_idx" ON "Document"("workspaceId", "name", "id");

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
CREATE INDEX "Conversation_workspaceId_leadId_updatedAt_id_idx" ON "Conversation"("workspaceId", "leadId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Conversation_workspaceId_channelId_createdAt_id_idx" ON "Conversation"("workspaceId", "channelId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Conversation_workspaceId_channelId_updatedAt_id_idx" ON "Conversation"("workspaceId", "channelId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Conversation_workspaceId_platformUserIdentifier_createdAt_i_idx" ON "Conversation"("workspaceId", "platformUserIdentifier", "createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Conversation_workspaceId_agentId_chatOwner_chatId_key" ON "Conversation"("workspaceId", "agentId", "chatOwner", "chatId");

-- CreateIndex
CREATE INDEX "ReachedStage_workspaceId_conversationId_reachedAt_id_idx" ON "ReachedStage"("workspaceId", "conversationId", "reachedAt", "id");

-- CreateIndex
CREATE INDEX "ReachedStage_workspaceId_reachedAt_id_idx" ON "ReachedStage"("workspaceId", "reachedAt", "id");

-- CreateIndex
CREATE INDEX "ReachedStage_workspaceId_beganAt_idx" ON "ReachedStage"("workspaceId", "beganAt");

-- CreateIndex
CREATE INDEX "Message_workspaceId_createdAt_id_idx" ON "Message"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Message_workspaceId_conversationId_createdAt_id_idx" ON "Message"("workspaceId", "conversationId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Message_workspaceId_searchNumber_createdAt_idx" ON "Message"("workspaceId", "searchNumber", "createdAt");

-- CreateIndex
CREATE UNIQUE INDEX "Message_workspaceId_conversationId_position_key" ON "Message"("workspaceId", "conversationId", "position");

-- CreateIndex
CREATE INDEX "MessageAlternative_workspaceId_messageId_replacedAt_idx" ON "MessageAlternative"("workspaceId", "messageId", "replacedAt");

-- CreateIndex
CREATE INDEX "MessageAlternative_workspaceId_conversationId_idx" ON "MessageAlternative"("workspaceId", "conversationId");

-- CreateIndex
CREATE INDEX "Field_workspaceId_createdAt_id_idx" ON "Field"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Field_workspaceId_name_id_idx" ON "Field"("workspaceId", "name", "id");

-- CreateIndex
CREATE INDEX "Field_searchText_idx" ON "Field" USING GIN ("searchText" gin_trgm_ops);

-- CreateIndex
CREATE UNIQUE INDEX "Field_workspaceId_nameKey_key" ON "Field"("workspaceId", "nameKey");

-- CreateIndex
CREATE INDEX "Dashboard_workspaceId_createdAt_id_idx" ON "Dashboard"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Dashboard_workspaceId_updatedAt_id_idx" ON "Dashboard"("workspaceId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Dashboard_workspaceId_name_id_idx" ON "Dashboard"("workspaceId", "name", "id");

-- CreateIndex
CREATE INDEX "Dashboard_workspaceId_title_id_idx" ON "Dashboard"("workspaceId", "title", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Dashboard_workspaceId_name_key" ON "Dashboard"("workspaceId", "name");

-- CreateIndex
CREATE INDEX "Alert_checkedAt_idx" ON "Alert"("checkedAt");

-- CreateIndex
CREATE UNIQUE INDEX "Alert_workspaceId_dashboardId_key_key" ON "Alert"("workspaceId", "dashboardId", "key");

-- CreateIndex
CREATE INDEX "ErasureReceipt_workspaceId_createdAt_id_idx" ON "ErasureReceipt"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "ErasureReceipt_status_idx" ON "ErasureReceipt"("status");

-- CreateIndex
CREATE INDEX "EvaluationCase_workspaceId_createdAt_id_idx" ON "EvaluationCase"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "EvaluationCase_workspaceId_updatedAt_id_idx" ON "EvaluationCase"("workspaceId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "EvaluationCase_workspaceId_agentId_createdAt_id_idx" ON "EvaluationCase"("workspaceId", "agentId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "EvaluationCase_workspaceId_agentId_updatedAt_id_idx" ON "EvaluationCase"("workspaceId", "agentId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "EvaluationCase_workspaceId_expectedSourceId_createdAt_id_idx" ON "EvaluationCase"("workspaceId", "expectedSourceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "EvaluationCase_workspaceId_expectedSourceId_updatedAt_id_idx" ON "EvaluationCase"("workspaceId", "expectedSourceId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "EvaluationCase_searchText_idx" ON "EvaluationCase" USING GIN ("searchText" gin_trgm_ops);

-- CreateIndex
CREATE UNIQUE INDEX "EvaluationCase_workspaceId_agentId_questionKey_key" ON "EvaluationCase"("workspaceId", "agentId", "questionKey");

-- CreateIndex
CREATE INDEX "EvaluationRun_workspaceId_createdAt_id_idx" ON "EvaluationRun"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "EvaluationRun_workspaceId_agentId_createdAt_id_idx" ON "EvaluationRun"("workspaceId", "agentId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "EvaluationRun_status_idx" ON "EvaluationRun"("status");

-- CreateIndex
CREATE INDEX "EvaluationResult_workspaceId_runId_position_id_idx" ON "EvaluationResult"("workspaceId", "runId", "position", "id");

-- CreateIndex
CREATE UNIQUE INDEX "EvaluationResult_workspaceId_runId_position_key" ON "EvaluationResult"("workspaceId", "runId", "position");

-- CreateIndex
CREATE INDEX "StoredFile_checkAt_idx" ON "StoredFile"("checkAt");

-- CreateIndex
CREATE UNIQUE INDEX "StoredFile_workspaceId_hash_key" ON "StoredFile"("workspaceId", "hash");

-- CreateIndex
CREATE INDEX "MessageFile_workspaceId_fileId_idx" ON "MessageFile"("workspaceId", "fileId");

-- CreateIndex
CREATE INDEX "Gap_workspaceId_lastAskedAt_id_idx" ON "Gap"("workspaceId", "lastAskedAt", "id");

-- CreateIndex
CREATE INDEX "Gap_workspaceId_rank_id_idx" ON "Gap"("workspaceId", "rank", "id");

-- CreateIndex
CREATE INDEX "Gap_workspaceId_agentId_lastAskedAt_id_idx" ON "Gap"("workspaceId", "agentId", "lastAskedAt", "id");

-- CreateIndex
CREATE INDEX "Gap_workspaceId_agentId_rank_id_idx" ON "Gap"("workspaceId", "agentId", "rank", "id");

-- CreateIndex
CREATE INDEX "Gap_marks_idx" ON "Gap" USING GIN ("marks");

-- CreateIndex
CREATE INDEX "GapQuestion_workspaceId_gapId_askedAt_id_idx" ON "GapQuestion"("workspaceId", "gapId", "askedAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "GapQuestion_workspaceId_messageId_key" ON "GapQuestion"("workspaceId", "messageId");

-- CreateIndex
CREATE INDEX "GapProposal_workspaceId_gapId_createdAt_id_idx" ON "GapProposal"("workspaceId", "gapId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "GapProposal_workspaceId_questionId_idx" ON "GapProposal"("workspaceId", "questionId");

-- CreateIndex
CREATE UNIQUE INDEX "GapProposal_workspaceId_messageId_key" ON "GapProposal"("workspaceId", "messageId");

-- CreateIndex
CREATE INDEX "Base_workspaceId_createdAt_id_idx" ON "Base"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Base_workspaceId_updatedAt_id_idx" ON "Base"("workspaceId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Base_searchText_idx" ON "Base" USING GIN ("searchText" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "Source_workspaceId_baseId_createdAt_id_idx" ON "Source"("workspaceId", "baseId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Source_workspaceId_baseId_updatedAt_id_idx" ON "Source"("workspaceId", "baseId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Source_workspaceId_createdAt_id_idx" ON "Source"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Source_workspaceId_updatedAt_id_idx" ON "Source"("workspaceId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Source_nextRefreshAt_idx" ON "Source"("nextRefreshAt");

-- CreateIndex
CREATE INDEX "Passage_workspaceId_sourceId_position_id_idx" ON "Passage"("workspaceId", "sourceId", "position", "id");

-- CreateIndex
CREATE INDEX "Passage_workspaceId_baseId_position_id_idx" ON "Passage"("workspaceId", "baseId", "position", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Passage_workspaceId_segment_slot_key" ON "Passage"("workspaceId", "segment", "slot");

-- CreateIndex
CREATE INDEX "Citation_workspaceId_sourceId_createdAt_id_idx" ON "Citation"("workspaceId", "sourceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Citation_workspaceId_createdAt_id_idx" ON "Citation"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Citation_workspaceId_messageId_sourceId_key" ON "Citation"("workspaceId", "messageId", "sourceId");

-- CreateIndex
CREATE INDEX "Lead_workspaceId_createdAt_id_idx" ON "Lead"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Lead_workspaceId_updatedAt_id_idx" ON "Lead"("workspaceId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Lead_workspaceId_nameRising_id_idx" ON "Lead"("workspaceId", "nameRising", "id");

-- CreateIndex
CREATE INDEX "Lead_workspaceId_nameFalling_id_idx" ON "Lead"("workspaceId", "nameFalling", "id");

-- CreateIndex
CREATE INDEX "Lead_workspaceId_agentId_createdAt_id_idx" ON "Lead"("workspaceId", "agentId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Lead_workspaceId_agentId_updatedAt_id_idx" ON "Lead"("workspaceId", "agentId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Lead_workspaceId_agentId_nameRising_id_idx" ON "Lead"("workspaceId", "agentId", "nameRising", "id");

-- CreateIndex
CREATE INDEX "Lead_workspaceId_agentId_nameFalling_id_idx" ON "Lead"("workspaceId", "agentId", "nameFalling", "id");

-- CreateIndex
CREATE INDEX "Lead_workspaceId_email_idx" ON "Lead"("workspaceId", "email");

-- CreateIndex
CREATE INDEX "Lead_workspaceId_phone_idx" ON "Lead"("workspaceId", "phone");

-- CreateIndex
CREATE INDEX "Lead_searchText_idx" ON "Lead" USING GIN ("searchText" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "LeadValue_workspaceId_messageId_idx" ON "LeadValue"("workspaceId", "messageId");

-- CreateIndex
CREATE INDEX "MessageSegment_workspaceId_first_idx" ON "MessageSegment"("workspaceId", "first");

-- CreateIndex
CREATE INDEX "MessageTerm_workspaceId_segment_idx" ON "MessageTerm"("workspaceId", "segment");

-- CreateIndex
CREATE INDEX "SavedOperation_workspaceId_createdAt_id_idx" ON "SavedOperation"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "SavedOperation_workspaceId_updatedAt_id_idx" ON "SavedOperation"("workspaceId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "SavedOperation_workspaceId_name_id_idx" ON "SavedOperation"("workspaceId", "name", "id");

-- CreateIndex
CREATE INDEX "SavedOperation_workspaceId_documentHash_idx" ON "SavedOperation"("workspaceId", "documentHash");

-- CreateIndex
CREATE UNIQUE INDEX "SavedOperation_workspaceId_name_key" ON "SavedOperation"("workspaceId", "name");

-- CreateIndex
CREATE INDEX "PassageEmbedding_workspaceId_baseId_model_idx" ON "PassageEmbedding"("workspaceId", "baseId", "model");

-- CreateIndex
CREATE INDEX "PassageEmbedding_workspaceId_sourceId_model_hash_idx" ON "PassageEmbedding"("workspaceId", "sourceId", "model", "hash");

-- CreateIndex
CREATE INDEX "PassageSegment_workspaceId_baseId_idx" ON "PassageSegment"("workspaceId", "baseId");

-- CreateIndex
CREATE INDEX "PassageSegment_workspaceId_sourceId_idx" ON "PassageSegment"("workspaceId", "sourceId");

-- CreateIndex
CREATE INDEX "PassageSegment_workspaceId_run_idx" ON "PassageSegment"("workspaceId", "run");

-- CreateIndex
CREATE INDEX "PassageRun_workspaceId_baseId_idx" ON "PassageRun"("workspaceId", "baseId");

-- CreateIndex
CREATE INDEX "PassageTerm_workspaceId_segment_idx" ON "PassageTerm"("workspaceId", "segment");

-- CreateIndex
CREATE INDEX "Plugin_workspaceId_createdAt_id_idx" ON "Plugin"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Plugin_workspaceId_nameForHuman_id_idx" ON "Plugin"("workspaceId", "nameForHuman", "id");

-- CreateIndex
CREATE INDEX "Credential_workspaceId_pluginId_idx" ON "Credential"("workspaceId", "pluginId");

-- CreateIndex
CREATE INDEX "PluginGrant_stateHash_idx" ON "PluginGrant"("stateHash");

-- CreateIndex
CREATE INDEX "PluginGrant_ticketHash_idx" ON "PluginGrant"("ticketHash");

-- CreateIndex
CREATE INDEX "PluginGrant_workspaceId_pluginId_idx" ON "PluginGrant"("workspaceId", "pluginId");

-- CreateIndex
CREATE INDEX "PluginGrant_workspaceId_agentId_idx" ON "PluginGrant"("workspaceId", "agentId");

-- CreateIndex
CREATE INDEX "PluginGrant_expiresAt_idx" ON "PluginGrant"("expiresAt");

-- CreateIndex
CREATE UNIQUE INDEX "PluginGrant_workspaceId_ticketHash_key" ON "PluginGrant"("workspaceId", "ticketHash");

-- CreateIndex
CREATE INDEX "SourcePage_workspaceId_sourceId_revision_status_depth_id_idx" ON "SourcePage"("workspaceId", "sourceId", "revision", "status", "depth", "id");

-- CreateIndex
CREATE INDEX "SourcePage_workspaceId_createdAt_id_idx" ON "SourcePage"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "SourcePage_workspaceId_sourceId_createdAt_id_idx" ON "SourcePage"("workspaceId", "sourceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "SourcePage_workspaceId_sourceId_depth_id_idx" ON "SourcePage"("workspaceId", "sourceId", "depth", "id");

-- CreateIndex
CREATE UNIQUE INDEX "SourcePage_workspaceId_sourceId_url_key" ON "SourcePage"("workspaceId", "sourceId", "url");

-- CreateIndex
CREATE INDEX "Turn_state_aliveUntil_idx" ON "Turn"("state", "aliveUntil");

-- CreateIndex
CREATE INDEX "Turn_streamUntil_idx" ON "Turn"("streamUntil");

-- CreateIndex
CREATE INDEX "Turn_expiresAt_idx" ON "Turn"("expiresAt");

-- CreateIndex
CREATE INDEX "Idempotency_about_idx" ON "Idempotency" USING GIN ("about");

-- CreateIndex
CREATE INDEX "Idempotency_expiresAt_idx" ON "Idempotency"("expiresAt");

-- CreateIndex
CREATE INDEX "OutboxEvent_workspaceId_position_idx" ON "OutboxEvent"("workspaceId", "position");

-- CreateIndex
CREATE INDEX "OutboxEvent_createdAt_idx" ON "OutboxEvent"("createdAt");

-- CreateIndex
CREATE UNIQUE INDEX "OutboxEvent_workspaceId_onceAs_key" ON "OutboxEvent"("workspaceId", "onceAs");

-- CreateIndex
CREATE INDEX "Interaction_workspaceId_month_idx" ON "Interaction"("workspaceId", "month");

-- CreateIndex
CREATE INDEX "Webhook_workspaceId_createdAt_id_idx" ON "Webhook"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "WebhookDelivery_workspaceId_createdAt_id_idx" ON "WebhookDelivery"("workspaceId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "WebhookDelivery_workspaceId_webhookId_createdAt_id_idx" ON "WebhookDelivery"("workspaceId", "webhookId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "WebhookDelivery_status_nextAttemptAt_idx" ON "WebhookDelivery"("status", "nextAttemptAt");

-- CreateIndex
CREATE UNIQUE INDEX "WebhookDelivery_workspaceId_eventId_webhookId_key" ON "WebhookDelivery"("workspaceId", "eventId", "webhookId");

-- Indexes of a part of the rows.
CREATE INDEX "Conversation_branches" ON "Conversation" ("workspaceId", "branchedFromId") WHERE "branchedFromId" IS NOT NULL;
CREATE INDEX "Conversation_keys" ON "Conversation" USING GIN ("context") WHERE "context" <> '{}';
CREATE INDEX "Conversation_open" ON "Conversation" ("workspaceId", "agentId", "updatedAt") WHERE "status" IN ('active', 'waiting_human');
CREATE INDEX "Lead_keys" ON "Lead" USING GIN ("custom", "utm") WHERE "custom" <> '{}' OR "utm" <> '{}';
CREATE INDEX "Message_attachments_in_row" ON "Message" ("id") WHERE jsonb_path_exists("attachments", '$[*].data');
CREATE INDEX "StoredFile_unused" ON "StoredFile" ("id") WHERE "hash" IS NULL;

-- AddForeignKey
ALTER TABLE "Membership" ADD CONSTRAINT "Membership_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Membership" ADD CONSTRAINT "Membership_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "App" ADD CONSTRAINT "App_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "AppRole" ADD CONSTRAINT "AppRole_workspaceId_membershipId_fkey" FOREIGN KEY ("workspaceId", "membershipId") REFERENCES "Membership"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "AppRole" ADD CONSTRAINT "AppRole_workspaceId_appId_fkey" FOREIGN KEY ("workspaceId", "appId") REFERENCES "App"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Key" ADD CONSTRAINT "Key_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Key" ADD CONSTRAINT "Key_workspaceId_membershipId_fkey" FOREIGN KEY ("workspaceId", "membershipId") REFERENCES "Membership"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Key" ADD CONSTRAINT "Key_workspaceId_dashboardId_fkey" FOREIGN KEY ("workspaceId", "dashboardId") REFERENCES "Dashboard"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Subscription" ADD CONSTRAINT "Subscription_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Subscription" ADD CONSTRAINT "Subscription_workspaceId_appId_fkey" FOREIGN KEY ("workspaceId", "appId") REFERENCES "App"("workspaceId", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Agent" ADD CONSTRAINT "Agent_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "AgentBase" ADD CONSTRAINT "AgentBase_workspaceId_agentId_fkey" FOREIGN KEY ("workspaceId", "agentId") REFERENCES "Agent"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "AgentBase" ADD CONSTRAINT "AgentBase_workspaceId_baseId_fkey" FOREIGN KEY ("workspaceId", "baseId") REFERENCES "Base"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "AgentPlugin" ADD CONSTRAINT "AgentPlugin_workspaceId_agentId_fkey" FOREIGN KEY ("workspaceId", "agentId") REFERENCES "Agent"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "AgentPlugin" ADD CONSTRAINT "AgentPlugin_workspaceId_pluginId_fkey" FOREIGN KEY ("workspaceId", "pluginId") REFERENCES "Plugin"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "AuditEntry" ADD CONSTRAINT "AuditEntry_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Channel" ADD CONSTRAINT "Channel_workspaceId_agentId_fkey" FOREIGN KEY ("workspaceId", "agentId") REFERENCES "Agent"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Copy" ADD CONSTRAINT "Copy_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Document" ADD CONSTRAINT "Document_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Conversation" ADD CONSTRAINT "Conversation_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Conversation" ADD CONSTRAINT "Conversation_workspaceId_agentId_fkey" FOREIGN KEY ("workspaceId", "agentId") REFERENCES "Agent"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Conversation" ADD CONSTRAINT "Conversation_workspaceId_channelId_fkey" FOREIGN KEY ("workspaceId", "channelId") REFERENCES "Channel"("workspaceId", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Conversation" ADD CONSTRAINT "Conversation_workspaceId_leadId_fkey" FOREIGN KEY ("workspaceId", "leadId") REFERENCES "Lead"("workspaceId", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "ReachedStage" ADD CONSTRAINT "ReachedStage_workspaceId_conversationId_fkey" FOREIGN KEY ("workspaceId", "conversationId") REFERENCES "Conversation"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Message" ADD CONSTRAINT "Message_workspaceId_conversationId_fkey" FOREIGN KEY ("workspaceId", "conversationId") REFERENCES "Conversation"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "MessageAlternative" ADD CONSTRAINT "MessageAlternative_workspaceId_conversationId_fkey" FOREIGN KEY ("workspaceId", "conversationId") REFERENCES "Conversation"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Field" ADD CONSTRAINT "Field_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Dashboard" ADD CONSTRAINT "Dashboard_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Alert" ADD CONSTRAINT "Alert_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Alert" ADD CONSTRAINT "Alert_workspaceId_dashboardId_fkey" FOREIGN KEY ("workspaceId", "dashboardId") REFERENCES "Dashboard"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "ErasureReceipt" ADD CONSTRAINT "ErasureReceipt_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "EvaluationCase" ADD CONSTRAINT "EvaluationCase_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "EvaluationCase" ADD CONSTRAINT "EvaluationCase_workspaceId_agentId_fkey" FOREIGN KEY ("workspaceId", "agentId") REFERENCES "Agent"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "EvaluationCase" ADD CONSTRAINT "EvaluationCase_workspaceId_expectedSourceId_fkey" FOREIGN KEY ("workspaceId", "expectedSourceId") REFERENCES "Source"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "EvaluationRun" ADD CONSTRAINT "EvaluationRun_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "EvaluationRun" ADD CONSTRAINT "EvaluationRun_workspaceId_agentId_fkey" FOREIGN KEY ("workspaceId", "agentId") REFERENCES "Agent"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "EvaluationResult" ADD CONSTRAINT "EvaluationResult_workspaceId_runId_fkey" FOREIGN KEY ("workspaceId", "runId") REFERENCES "EvaluationRun"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "MessageFile" ADD CONSTRAINT "MessageFile_workspaceId_messageId_fkey" FOREIGN KEY ("workspaceId", "messageId") REFERENCES "Message"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "MessageFile" ADD CONSTRAINT "MessageFile_workspaceId_fileId_fkey" FOREIGN KEY ("workspaceId", "fileId") REFERENCES "StoredFile"("workspaceId", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Gap" ADD CONSTRAINT "Gap_workspaceId_agentId_fkey" FOREIGN KEY ("workspaceId", "agentId") REFERENCES "Agent"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "GapQuestion" ADD CONSTRAINT "GapQuestion_workspaceId_gapId_fkey" FOREIGN KEY ("workspaceId", "gapId") REFERENCES "Gap"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "GapQuestion" ADD CONSTRAINT "GapQuestion_workspaceId_messageId_fkey" FOREIGN KEY ("workspaceId", "messageId") REFERENCES "Message"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "GapProposal" ADD CONSTRAINT "GapProposal_workspaceId_gapId_fkey" FOREIGN KEY ("workspaceId", "gapId") REFERENCES "Gap"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "GapProposal" ADD CONSTRAINT "GapProposal_workspaceId_questionId_fkey" FOREIGN KEY ("workspaceId", "questionId") REFERENCES "GapQuestion"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "GapProposal" ADD CONSTRAINT "GapProposal_workspaceId_messageId_fkey" FOREIGN KEY ("workspaceId", "messageId") REFERENCES "Message"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Base" ADD CONSTRAINT "Base_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Source" ADD CONSTRAINT "Source_workspaceId_baseId_fkey" FOREIGN KEY ("workspaceId", "baseId") REFERENCES "Base"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Passage" ADD CONSTRAINT "Passage_workspaceId_baseId_fkey" FOREIGN KEY ("workspaceId", "baseId") REFERENCES "Base"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Passage" ADD CONSTRAINT "Passage_workspaceId_sourceId_fkey" FOREIGN KEY ("workspaceId", "sourceId") REFERENCES "Source"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Passage" ADD CONSTRAINT "Passage_workspaceId_segment_fkey" FOREIGN KEY ("workspaceId", "segment") REFERENCES "PassageSegment"("workspaceId", "number") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Citation" ADD CONSTRAINT "Citation_workspaceId_sourceId_fkey" FOREIGN KEY ("workspaceId", "sourceId") REFERENCES "Source"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Citation" ADD CONSTRAINT "Citation_workspaceId_messageId_fkey" FOREIGN KEY ("workspaceId", "messageId") REFERENCES "Message"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Lead" ADD CONSTRAINT "Lead_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Lead" ADD CONSTRAINT "Lead_workspaceId_agentId_fkey" FOREIGN KEY ("workspaceId", "agentId") REFERENCES "Agent"("workspaceId", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "LeadValue" ADD CONSTRAINT "LeadValue_workspaceId_leadId_fkey" FOREIGN KEY ("workspaceId", "leadId") REFERENCES "Lead"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "LeadValue" ADD CONSTRAINT "LeadValue_workspaceId_messageId_fkey" FOREIGN KEY ("workspaceId", "messageId") REFERENCES "Message"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "MessageSegment" ADD CONSTRAINT "MessageSegment_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "MessageTrace" ADD CONSTRAINT "MessageTrace_workspaceId_messageId_fkey" FOREIGN KEY ("workspaceId", "messageId") REFERENCES "Message"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "SavedOperation" ADD CONSTRAINT "SavedOperation_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "PassageEmbedding" ADD CONSTRAINT "PassageEmbedding_workspaceId_sourceId_fkey" FOREIGN KEY ("workspaceId", "sourceId") REFERENCES "Source"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "PassageSegment" ADD CONSTRAINT "PassageSegment_workspaceId_baseId_fkey" FOREIGN KEY ("workspaceId", "baseId") REFERENCES "Base"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "PassageSegment" ADD CONSTRAINT "PassageSegment_workspaceId_sourceId_fkey" FOREIGN KEY ("workspaceId", "sourceId") REFERENCES "Source"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "PassageRun" ADD CONSTRAINT "PassageRun_workspaceId_baseId_fkey" FOREIGN KEY ("workspaceId", "baseId") REFERENCES "Base"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Plugin" ADD CONSTRAINT "Plugin_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "PluginInterface" ADD CONSTRAINT "PluginInterface_workspaceId_pluginId_fkey" FOREIGN KEY ("workspaceId", "pluginId") REFERENCES "Plugin"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Credential" ADD CONSTRAINT "Credential_workspaceId_agentId_fkey" FOREIGN KEY ("workspaceId", "agentId") REFERENCES "Agent"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Credential" ADD CONSTRAINT "Credential_workspaceId_pluginId_fkey" FOREIGN KEY ("workspaceId", "pluginId") REFERENCES "Plugin"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "PluginGrant" ADD CONSTRAINT "PluginGrant_workspaceId_agentId_fkey" FOREIGN KEY ("workspaceId", "agentId") REFERENCES "Agent"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "PluginGrant" ADD CONSTRAINT "PluginGrant_workspaceId_pluginId_fkey" FOREIGN KEY ("workspaceId", "pluginId") REFERENCES "Plugin"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "PluginCall" ADD CONSTRAINT "PluginCall_workspaceId_conversationId_fkey" FOREIGN KEY ("workspaceId", "conversationId") REFERENCES "Conversation"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "SourcePage" ADD CONSTRAINT "SourcePage_workspaceId_sourceId_fkey" FOREIGN KEY ("workspaceId", "sourceId") REFERENCES "Source"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Turn" ADD CONSTRAINT "Turn_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "TurnBatch" ADD CONSTRAINT "TurnBatch_workspaceId_turnId_fkey" FOREIGN KEY ("workspaceId", "turnId") REFERENCES "Turn"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "OutboxEvent" ADD CONSTRAINT "OutboxEvent_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Settings" ADD CONSTRAINT "Settings_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Interaction" ADD CONSTRAINT "Interaction_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Usage" ADD CONSTRAINT "Usage_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "Webhook" ADD CONSTRAINT "Webhook_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "WebhookDelivery" ADD CONSTRAINT "WebhookDelivery_workspaceId_webhookId_fkey" FOREIGN KEY ("workspaceId", "webhookId") REFERENCES "Webhook"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "WebhookDelivery" ADD CONSTRAINT "WebhookDelivery_workspaceId_eventId_fkey" FOREIGN KEY ("workspaceId", "eventId") REFERENCES "OutboxEvent"("workspaceId", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Functions of triggers and statements

-- An id as the gateway makes them (src/database/ids.ts).
CREATE FUNCTION "newId"(prefix text) RETURNS text LANGUAGE sql AS $$
  WITH seed AS MATERIALIZED (
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS time, uuid_send(gen_random_uuid()) AS random
  ), digits AS (
    SELECT place, (time >> (45 - 5 * place)) & 31 AS digit FROM seed, generate_series(0, 9) place
    UNION ALL SELECT 10 + place, get_byte(random, place) & 31 FROM seed, generate_series(0, 15) place
  )
  SELECT prefix || '_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', digit::int + 1, 1), '' ORDER BY place)
  FROM digits
$$;

-- Names and other short texts as lists are searched: the same as foldName of src/text/fold.ts, for columns of which no
-- folded copy is kept. Its tables of letters and marks are those of Unicode, so it does not depend on the database's locale.
CREATE FUNCTION "foldName"(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN octet_length(value) = char_length(value) THEN lower(value COLLATE "C")
    ELSE replace(replace(replace(replace(translate(
      regexp_replace(normalize(value, NFKD), '[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3\u07fd\u0816-\u0819\u081b-\u0823\u0825-\u0827\u0829-\u082d\u0859-\u085b\u0897-\u089f\u08ca-\u08e1\u08e3-\u0903\u093a-\u093c\u093e-\u094f\u0951-\u0957\u0962-\u0963\u0981-\u0983\u09bc\u09be-\u09c4\u09c7-\u09c8\u09cb-\u09cd\u09d7\u09e2-\u09e3\u09fe\u0a01-\u0a03\u0a3c\u0a3e-\u0a42\u0a47-\u0a48\u0a4b-\u0a4d\u0a51\u0a70-\u0a71\u0a75\u0a81-\u0a83\u0abc\u0abe-\u0ac5\u0ac7-\u0ac9\u0acb-\u0acd\u0ae2-\u0ae3\u0afa-\u0aff\u0b01-\u0b03\u0b3c\u0b3e-\u0b44\u0b47-\u0b48\u0b4b-\u0b4d\u0b55-\u0b57\u0b62-\u0b63\u0b82\u0bbe-\u0bc2\u0bc6-\u0bc8\u0bca-\u0bcd\u0bd7\u0c00-\u0c04\u0c3c\u0c3e-\u0c44\u0c46-\u0c48\u0c4a-\u0c4d\u0c55-\u0c56\u0c62-\u0c63\u0c81-\u0c83\u0cbc\u0cbe-\u0cc4\u0cc6-\u0cc8\u0cca-\u0ccd\u0cd5-\u0cd6\u0ce2-\u0ce3\u0cf3\u0d00-\u0d03\u0d3b-\u0d3c\u0d3e-\u0d44\u0d46-\u0d48\u0d4a-\u0d4d\u0d57\u0d62-\u0d63\u0d81-\u0d83\u0dca\u0dcf-\u0dd4\u0dd6\u0dd8-\u0ddf\u0df2-\u0df3\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u0f18-\u0f19\u0f35\u0f37\u0f39\u0f3e-\u0f3f\u0f71-\u0f84\u0f86-\u0f87\u0f8d-\u0f97\u0f99-\u0fbc\u0fc6\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d\u135d-\u135f\u1712-\u1715\u1732-\u1734\u1752-\u1753\u1772-\u1773\u17b4-\u17d3\u17dd\u180b-\u180d\u180f\u1885-\u1886\u18a9\u1920-\u192b\u1930-\u193b\u1a17-\u1a1b\u1a55-\u1a5e\u1a60-\u1a7c\u1a7f\u1ab0-\u1add\u1ae0-\u1aeb\u1b00-\u1b04\u1b34-\u1b44\u1b6b-\u1b73\u1b80-\u1b82\u1ba1-\u1bad\u1be6-\u1bf3\u1c24-\u1c37\u1cd0-\u1cd2\u1cd4-\u1ce8\u1ced\u1cf4\u1cf7-\u1cf9\u1dc0-\u1dff\u20d0-\u20f0\u2cef-\u2cf1\u2d7f\u2de0-\u2dff\u302a-\u302f\u3099-\u309a\ua66f-\ua672\ua674-\ua67d\ua69e-\ua69f\ua6f0-\ua6f1\ua802\ua806\ua80b\ua823-\ua827\ua82c\ua880-\ua881\ua8b4-\ua8c5\ua8e0-\ua8f1\ua8ff\ua926-\ua92d\ua947-\ua953\ua980-\ua983\ua9b3-\ua9c0\ua9e5\uaa29-\uaa36\uaa43\uaa4c-\uaa4d\uaa7b-\uaa7d\uaab0\uaab2-\uaab4\uaab7-\uaab8\uaabe-\uaabf\uaac1\uaaeb-\uaaef\uaaf5-\uaaf6\uabe3-\uabea\uabec-\uabed\ufb1e\ufe00-\ufe0f\ufe20-\ufe2f\U000101fd\U000102e0\U00010376-\U0001037a\U00010a01-\U00010a03\U00010a05-\U00010a06\U00010a0c-\U00010a0f\U00010a38-\U00010a3a\U00010a3f\U00010ae5-\U00010ae6\U00010d24-\U00010d27\U00010d69-\U00010d6d\U00010eab-\U00010eac\U00010efa-\U00010eff\U00010f46-\U00010f50\U00010f82-\U00010f85\U00011000-\U00011002\U00011038-\U00011046\U00011070\U00011073-\U00011074\U0001107f-\U00011082\U000110b0-\U000110ba\U000110c2\U00011100-\U00011102\U00011127-\U00011134\U00011145-\U00011146\U00011173\U00011180-\U00011182\U000111b3-\U000111c0\U000111c9-\U000111cc\U000111ce-\U000111cf\U0001122c-\U00011237\U0001123e\U00011241\U000112df-\U000112ea\U00011300-\U00011303\U0001133b-\U0001133c\U0001133e-\U00011344\U00011347-\U00011348\U0001134b-\U0001134d\U00011357\U00011362-\U00011363\U00011366-\U0001136c\U00011370-\U00011374\U000113b8-\U000113c0\U000113c2\U000113c5\U000113c7-\U000113ca\U000113cc-\U000113d0\U000113d2\U000113e1-\U000113e2\U00011435-\U00011446\U0001145e\U000114b0-\U000114c3\U000115af-\U000115b5\U000115b8-\U000115c0\U000115dc-\U000115dd\U00011630-\U00011640\U000116ab-\U000116b7\U0001171d-\U0001172b\U0001182c-\U0001183a\U00011930-\U00011935\U00011937-\U00011938\U0001193b-\U0001193e\U00011940\U00011942-\U00011943\U000119d1-\U000119d7\U000119da-\U000119e0\U000119e4\U00011a01-\U00011a0a\U00011a33-\U00011a39\U00011a3b-\U00011a3e\U00011a47\U00011a51-\U00011a5b\U00011a8a-\U00011a99\U00011b60-\U00011b67\U00011c2f-\U00011c36\U00011c38-\U00011c3f\U00011c92-\U00011ca7\U00011ca9-\U00011cb6\U00011d31-\U00011d36\U00011d3a\U00011d3c-\U00011d3d\U00011d3f-\U00011d45\U00011d47\U00011d8a-\U00011d8e\U00011d90-\U00011d91\U00011d93-\U00011d97\U00011ef3-\U00011ef6\U00011f00-\U00011f01\U00011f03\U00011f34-\U00011f3a\U00011f3e-\U00011f42\U00011f5a\U00013440\U00013447-\U00013455\U0001611e-\U0001612f\U00016af0-\U00016af4\U00016b30-\U00016b36\U00016f4f\U00016f51-\U00016f87\U00016f8f-\U00016f92\U00016fe4\U00016ff0-\U00016ff1\U0001bc9d-\U0001bc9e\U0001cf00-\U0001cf2d\U0001cf30-\U0001cf46\U0001d165-\U0001d169\U0001d16d-\U0001d172\U0001d17b-\U0001d182\U0001d185-\U0001d18b\U0001d1aa-\U0001d1ad\U0001d242-\U0001d244\U0001da00-\U0001da36\U0001da3b-\U0001da6c\U0001da75\U0001da84\U0001da9b-\U0001da9f\U0001daa1-\U0001daaf\U0001e000-\U0001e006\U0001e008-\U0001e018\U0001e01b-\U0001e021\U0001e023-\U0001e024\U0001e026-\U0001e02a\U0001e08f\U0001e130-\U0001e136\U0001e2ae\U0001e2ec-\U0001e2ef\U0001e4ec-\U0001e4ef\U0001e5ee-\U0001e5ef\U0001e6e3\U0001e6e6\U0001e6ee-\U0001e6ef\U0001e6f5\U0001e8d0-\U0001e8d6\U0001e944-\U0001e94a\U000e0100-\U000e01ef]+', '', 'g'),
      'ςłŁøØđĐðÐħĦŧŦıÆÞŊŒƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƢƤƦƧƩƬƮƱƲƳƵƷƸƼǤǶǷȜȠȢȤȺȻȽȾɁɃɄɅɆɈɊɌɎͰͲͶͿΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩϏϘϚϜϞϠϢϤϦϨϪϬϮϷϺϽϾϿЂЄЅІЈЉЊЋЏАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯѠѢѤѦѨѪѬѮѰѲѴѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӃӅӇӉӋӍӔӘӠӨӶӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖႠႡႢႣႤႥႦႧႨႩႪႫႬႭႮႯႰႱႲႳႴႵႶႷႸႹႺႻႼႽႾႿჀჁჂჃჄჅჇჍᎠᎡᎢᎣᎤᎥᎦᎧᎨᎩᎪᎫᎬᎭᎮᎯᎰᎱᎲᎳᎴᎵᎶᎷᎸᎹᎺᎻᎼᎽᎾᎿᏀᏁᏂᏃᏄᏅᏆᏇᏈᏉᏊᏋᏌᏍᏎᏏᏐᏑᏒᏓᏔᏕᏖᏗᏘᏙᏚᏛᏜᏝᏞᏟᏠᏡᏢᏣᏤᏥᏦᏧᏨᏩᏪᏫᏬᏭᏮᏯᏰᏱᏲᏳᏴᏵᲉᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿẞỺỼỾℲↃⰀⰁⰂⰃⰄⰅⰆⰇⰈⰉⰊⰋⰌⰍⰎⰏⰐⰑⰒⰓⰔⰕⰖⰗⰘⰙⰚⰛⰜⰝⰞⰟⰠⰡⰢⰣⰤⰥⰦⰧⰨⰩⰪⰫⰬⰭⰮⰯⱠⱢⱣⱤⱧⱩⱫⱭⱮⱯⱰⱲⱵⱾⱿⲀⲂⲄⲆⲈⲊⲌⲎⲐⲒⲔⲖⲘⲚⲜⲞⲠⲢⲤⲦⲨⲪⲬⲮⲰⲲⲴⲶⲸⲺⲼⲾⳀⳂⳄⳆⳈⳊⳌⳎⳐⳒⳔⳖⳘⳚⳜⳞⳠⳢⳫⳭⳲꙀꙂꙄꙆꙈꙊꙌꙎꙐꙒꙔꙖꙘꙚꙜꙞꙠꙢꙤꙦꙨꙪꙬꚀꚂꚄꚆꚈꚊꚌꚎꚐꚒꚔꚖꚘꚚꜢꜤꜦꜨꜪꜬꜮꜲꜴꜶꜸꜺꜼꜾꝀꝂꝄꝆꝈꝊꝌꝎꝐꝒꝔꝖꝘꝚꝜꝞꝠꝢꝤꝦꝨꝪꝬꝮꝹꝻꝽꝾꞀꞂꞄꞆꞋꞍꞐꞒꞖꞘꞚꞜꞞꞠꞢꞤꞦꞨꞪꞫꞬꞭꞮꞰꞱꞲꞳꞴꞶꞸꞺꞼꞾꟀꟂꟄꟅꟆꟇꟉꟋꟌ꟎Ꟑ꟒꟔ꟖꟘꟚꟜꟵ𐐀𐐁𐐂𐐃𐐄𐐅𐐆𐐇𐐈𐐉𐐊𐐋𐐌𐐍𐐎𐐏𐐐𐐑𐐒𐐓𐐔𐐕𐐖𐐗𐐘𐐙𐐚𐐛𐐜𐐝𐐞𐐟𐐠𐐡𐐢𐐣𐐤𐐥𐐦𐐧𐒰𐒱𐒲𐒳𐒴𐒵𐒶𐒷𐒸𐒹𐒺𐒻𐒼𐒽𐒾𐒿𐓀𐓁𐓂𐓃𐓄𐓅𐓆𐓇𐓈𐓉𐓊𐓋𐓌𐓍𐓎𐓏𐓐𐓑𐓒𐓓𐕰𐕱𐕲𐕳𐕴𐕵𐕶𐕷𐕸𐕹𐕺𐕼𐕽𐕾𐕿𐖀𐖁𐖂𐖃𐖄𐖅𐖆𐖇𐖈𐖉𐖊𐖌𐖍𐖎𐖏𐖐𐖑𐖒𐖔𐖕𐲀𐲁𐲂𐲃𐲄𐲅𐲆𐲇𐲈𐲉𐲊𐲋𐲌𐲍𐲎𐲏𐲐𐲑𐲒𐲓𐲔𐲕𐲖𐲗𐲘𐲙𐲚𐲛𐲜𐲝𐲞𐲟𐲠𐲡𐲢𐲣𐲤𐲥𐲦𐲧𐲨𐲩𐲪𐲫𐲬𐲭𐲮𐲯𐲰𐲱𐲲𐵐𐵑𐵒𐵓𐵔𐵕𐵖𐵗𐵘𐵙𐵚𐵛𐵜𐵝𐵞𐵟𐵠𐵡𐵢𐵣𐵤𐵥𑢠𑢡𑢢𑢣𑢤𑢥𑢦𑢧𑢨𑢩𑢪𑢫𑢬𑢭𑢮𑢯𑢰𑢱𑢲𑢳𑢴𑢵𑢶𑢷𑢸𑢹𑢺𑢻𑢼𑢽𑢾𑢿𖹀𖹁𖹂𖹃𖹄𖹅𖹆𖹇𖹈𖹉𖹊𖹋𖹌𖹍𖹎𖹏𖹐𖹑𖹒𖹓𖹔𖹕𖹖𖹗𖹘𖹙𖹚𖹛𖹜𖹝𖹞𖹟𖺠𖺡𖺢𖺣𖺤𖺥𖺦𖺧𖺨𖺩𖺪𖺫𖺬𖺭𖺮𖺯𖺰𖺱𖺲𖺳𖺴𖺵𖺶𖺷𖺸𞤀𞤁𞤂𞤃𞤄𞤅𞤆𞤇𞤈𞤉𞤊𞤋𞤌𞤍𞤎𞤏𞤐𞤑𞤒𞤓𞤔𞤕𞤖𞤗𞤘𞤙𞤚𞤛𞤜𞤝𞤞𞤟𞤠𞤡ABCDEFGHIJKLMNOPQRSTUVWXYZ',
      'σllooddddhhttiæþŋœɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵƣƥʀƨʃƭʈʊʋƴƶʒƹƽǥƕƿȝƞȣȥⱥȼƚⱦɂƀʉʌɇɉɋɍɏͱͳͷϳαβγδεζηθικλμνξοπρστυφχψωϗϙϛϝϟϡϣϥϧϩϫϭϯϸϻͻͼͽђєѕіјљњћџабвгдежзиклмнопрстуфхцчшщъыьэюяѡѣѥѧѩѫѭѯѱѳѵѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӄӆӈӊӌӎӕәӡөӷӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆⴀⴁⴂⴃⴄⴅⴆⴇⴈⴉⴊⴋⴌⴍⴎⴏⴐⴑⴒⴓⴔⴕⴖⴗⴘⴙⴚⴛⴜⴝⴞⴟⴠⴡⴢⴣⴤⴥⴧⴭꭰꭱꭲꭳꭴꭵꭶꭷꭸꭹꭺꭻꭼꭽꭾꭿꮀꮁꮂꮃꮄꮅꮆꮇꮈꮉꮊꮋꮌꮍꮎꮏꮐꮑꮒꮓꮔꮕꮖꮗꮘꮙꮚꮛꮜꮝꮞꮟꮠꮡꮢꮣꮤꮥꮦꮧꮨꮩꮪꮫꮬꮭꮮꮯꮰꮱꮲꮳꮴꮵꮶꮷꮸꮹꮺꮻꮼꮽꮾꮿᏸᏹᏺᏻᏼᏽᲊაბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿßỻỽỿⅎↄⰰⰱⰲⰳⰴⰵⰶⰷⰸⰹⰺⰻⰼⰽⰾⰿⱀⱁⱂⱃⱄⱅⱆⱇⱈⱉⱊⱋⱌⱍⱎⱏⱐⱑⱒⱓⱔⱕⱖⱗⱘⱙⱚⱛⱜⱝⱞⱟⱡɫᵽɽⱨⱪⱬɑɱɐɒⱳⱶȿɀⲁⲃⲅⲇⲉⲋⲍⲏⲑⲓⲕⲗⲙⲛⲝⲟⲡⲣⲥⲧⲩⲫⲭⲯⲱⲳⲵⲷⲹⲻⲽⲿⳁⳃⳅⳇⳉⳋⳍⳏⳑⳓⳕⳗⳙⳛⳝⳟⳡⳣⳬⳮⳳꙁꙃꙅꙇꙉꙋꙍꙏꙑꙓꙕꙗꙙꙛꙝꙟꙡꙣꙥꙧꙩꙫꙭꚁꚃꚅꚇꚉꚋꚍꚏꚑꚓꚕꚗꚙꚛꜣꜥꜧꜩꜫꜭꜯꜳꜵꜷꜹꜻꜽꜿꝁꝃꝅꝇꝉꝋꝍꝏꝑꝓꝕꝗꝙꝛꝝꝟꝡꝣꝥꝧꝩꝫꝭꝯꝺꝼᵹꝿꞁꞃꞅꞇꞌɥꞑꞓꞗꞙꞛꞝꞟꞡꞣꞥꞧꞩɦɜɡɬɪʞʇʝꭓꞵꞷꞹꞻꞽꞿꟁꟃꞔʂᶎꟈꟊɤꟍ꟏ꟑꟓꟕꟗꟙꟛƛꟶ𐐨𐐩𐐪𐐫𐐬𐐭𐐮𐐯𐐰𐐱𐐲𐐳𐐴𐐵𐐶𐐷𐐸𐐹𐐺𐐻𐐼𐐽𐐾𐐿𐑀𐑁𐑂𐑃𐑄𐑅𐑆𐑇𐑈𐑉𐑊𐑋𐑌𐑍𐑎𐑏𐓘𐓙𐓚𐓛𐓜𐓝𐓞𐓟𐓠𐓡𐓢𐓣𐓤𐓥𐓦𐓧𐓨𐓩𐓪𐓫𐓬𐓭𐓮𐓯𐓰𐓱𐓲𐓳𐓴𐓵𐓶𐓷𐓸𐓹𐓺𐓻𐖗𐖘𐖙𐖚𐖛𐖜𐖝𐖞𐖟𐖠𐖡𐖣𐖤𐖥𐖦𐖧𐖨𐖩𐖪𐖫𐖬𐖭𐖮𐖯𐖰𐖱𐖳𐖴𐖵𐖶𐖷𐖸𐖹𐖻𐖼𐳀𐳁𐳂𐳃𐳄𐳅𐳆𐳇𐳈𐳉𐳊𐳋𐳌𐳍𐳎𐳏𐳐𐳑𐳒𐳓𐳔𐳕𐳖𐳗𐳘𐳙𐳚𐳛𐳜𐳝𐳞𐳟𐳠𐳡𐳢𐳣𐳤𐳥𐳦𐳧𐳨𐳩𐳪𐳫𐳬𐳭𐳮𐳯𐳰𐳱𐳲𐵰𐵱𐵲𐵳𐵴𐵵𐵶𐵷𐵸𐵹𐵺𐵻𐵼𐵽𐵾𐵿𐶀𐶁𐶂𐶃𐶄𐶅𑣀𑣁𑣂𑣃𑣄𑣅𑣆𑣇𑣈𑣉𑣊𑣋𑣌𑣍𑣎𑣏𑣐𑣑𑣒𑣓𑣔𑣕𑣖𑣗𑣘𑣙𑣚𑣛𑣜𑣝𑣞𑣟𖹠𖹡𖹢𖹣𖹤𖹥𖹦𖹧𖹨𖹩𖹪𖹫𖹬𖹭𖹮𖹯𖹰𖹱𖹲𖹳𖹴𖹵𖹶𖹷𖹸𖹹𖹺𖹻𖹼𖹽𖹾𖹿𖺻𖺼𖺽𖺾𖺿𖻀𖻁𖻂𖻃𖻄𖻅𖻆𖻇𖻈𖻉𖻊𖻋𖻌𖻍𖻎𖻏𖻐𖻑𖻒𖻓𞤢𞤣𞤤𞤥𞤦𞤧𞤨𞤩𞤪𞤫𞤬𞤭𞤮𞤯𞤰𞤱𞤲𞤳𞤴𞤵𞤶𞤷𞤸𞤹𞤺𞤻𞤼𞤽𞤾𞤿𞥀𞥁𞥂𞥃abcdefghijklmnopqrstuvwxyz'
    ), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') COLLATE "C"
  END
$$;

-- Times

-- Two updates of a row never have the same time, be they of one millisecond or by clocks that differ: whoever says as of when
-- they know a row is never taken for up to date when they are not. An update that does not write "updatedAt" leaves it as it is.
CREATE FUNCTION "laterThanBefore"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."updatedAt" := OLD."updatedAt" + interval '1 millisecond';
  RETURN NEW;
END $$;
CREATE TRIGGER "Agent_later" BEFORE UPDATE OF "updatedAt" ON "Agent" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "AppRole_later" BEFORE UPDATE OF "updatedAt" ON "AppRole" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "App_later" BEFORE UPDATE OF "updatedAt" ON "App" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "Base_later" BEFORE UPDATE OF "updatedAt" ON "Base" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "Channel_later" BEFORE UPDATE OF "updatedAt" ON "Channel" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "Conversation_later" BEFORE UPDATE OF "updatedAt" ON "Conversation" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "Copy_later" BEFORE UPDATE OF "updatedAt" ON "Copy" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "Dashboard_later" BEFORE UPDATE OF "updatedAt" ON "Dashboard" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "Document_later" BEFORE UPDATE OF "updatedAt" ON "Document" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "EvaluationCase_later" BEFORE UPDATE OF "updatedAt" ON "EvaluationCase" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "EvaluationRun_later" BEFORE UPDATE OF "updatedAt" ON "EvaluationRun" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "Field_later" BEFORE UPDATE OF "updatedAt" ON "Field" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "Gap_later" BEFORE UPDATE OF "updatedAt" ON "Gap" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "Lead_later" BEFORE UPDATE OF "updatedAt" ON "Lead" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "Membership_later" BEFORE UPDATE OF "updatedAt" ON "Membership" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "Message_later" BEFORE UPDATE OF "updatedAt" ON "Message" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "Plugin_later" BEFORE UPDATE OF "updatedAt" ON "Plugin" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "SavedOperation_later" BEFORE UPDATE OF "updatedAt" ON "SavedOperation" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "Settings_later" BEFORE UPDATE OF "updatedAt" ON "Settings" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "Source_later" BEFORE UPDATE OF "updatedAt" ON "Source" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "Subscription_later" BEFORE UPDATE OF "updatedAt" ON "Subscription" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "User_later" BEFORE UPDATE OF "updatedAt" ON "User" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "Webhook_later" BEFORE UPDATE OF "updatedAt" ON "Webhook" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();
CREATE TRIGGER "Workspace_later" BEFORE UPDATE OF "updatedAt" ON "Workspace" FOR EACH ROW WHEN ((new."updatedAt" <= old."updatedAt")) EXECUTE FUNCTION "laterThanBefore"();

-- Events and their deliveries

-- Triggers write events, and know of the span that caused them only what the transaction says.
CREATE FUNCTION "nameCause"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."traceparent" := current_setting('parley.traceparent', true);
  RETURN NEW;
END $$;
CREATE TRIGGER "OutboxEvent_cause" BEFORE INSERT ON "OutboxEvent" FOR EACH ROW WHEN ((current_setting('parley.traceparent'::text, true) <> ''::text)) EXECUTE FUNCTION "nameCause"();

-- The order of a workspace's events, in whichever database its rows are. A sequence is of one node: after its rows were moved
-- to another, an event would be numbered below earlier ones. A counter of the workspace would be locked until the commit.
-- A plan that is made while the table is nearly empty reads all of it, and is kept as long as the session.
CREATE FUNCTION "orderEvent"() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
DECLARE
  latest bigint;
BEGIN
  SELECT "position" INTO latest FROM "OutboxEvent" WHERE "workspaceId" = NEW."workspaceId" ORDER BY "position" DESC LIMIT 1;
  -- Microseconds, so that of two events, neither of which is seen by the other, the later one is mostly the greater; beyond
  -- what is there, so that it does not depend on the clocks of nodes.
  NEW."position" := greatest((extract(epoch FROM clock_timestamp()) * 1000000)::bigint, latest + 1);
  RETURN NEW;
END $$;
CREATE TRIGGER "OutboxEvent_order" BEFORE INSERT ON "OutboxEvent" FOR EACH ROW WHEN ((new."position" = 0)) EXECUTE FUNCTION "orderEvent"();

-- A delivery of each event to each webhook that wants it; a webhook is not deleted meanwhile.
CREATE FUNCTION "deliverEvents"() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
DECLARE
  event record;
  webhook text;
BEGIN
  FOR event IN SELECT * FROM told ORDER BY "position" LOOP
    FOR webhook IN
      SELECT "id" FROM "Webhook" WHERE "workspaceId" = event."workspaceId"
        AND CASE event."type" WHEN 'ping' THEN "id" = event."data" ->> 'webhookId'
          ELSE "enabled" AND ("events" = '{}' OR replace(event."type", '.', '_') = ANY ("events"::text[])) END
      FOR KEY SHARE
    LOOP
      INSERT INTO "WebhookDelivery" ("id", "workspaceId", "webhookId", "eventId", "event")
      VALUES ("newId"('dlv'), event."workspaceId", webhook, event."id", replace(event."type", '.', '_')::"WebhookEvent");
    END LOOP;
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER "OutboxEvent_delivered" AFTER INSERT ON "OutboxEvent" REFERENCING NEW TABLE AS told FOR EACH STATEMENT EXECUTE FUNCTION "deliverEvents"();

-- Writes an event, unless its workspace is being deleted, whose rows go after it.
CREATE FUNCTION "tellEvent"(workspace text, event text, told jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM "Webhook" w JOIN "Workspace" s ON s."id" = w."workspaceId"
    WHERE w."workspaceId" = workspace AND w."enabled"
      AND (w."events" = '{}' OR replace(event, '.', '_') = ANY (w."events"::text[]))
  ) THEN
    INSERT INTO "OutboxEvent" ("id", "workspaceId", "type", "data") VALUES ("newId"('evt'), workspace, event, told);
  END IF;
END $$;

-- Writes the event of a changed row. Its argument is the rule, which the module of the row declares (events.ts).
CREATE FUNCTION "recordRowEvent"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  workspace text := coalesce(NEW."workspaceId", OLD."workspaceId");
  event text := TG_ARGV[0];
  before jsonb;
  after jsonb;
  told jsonb;
BEGIN
  -- The workspace is looked for since its rows go after it when it is removed.
  IF NOT EXISTS (
    SELECT FROM "Webhook" w JOIN "Workspace" s ON s."id" = w."workspaceId"
    WHERE w."workspaceId" = workspace AND w."enabled"
      AND (w."events" = '{}' OR replace(event, '.', '_') = ANY (w."events"::text[]))
  ) THEN
    RETURN NULL;
  END IF;
  before := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END;
  after := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END;
  SELECT jsonb_object_agg(named.key, coalesce(after, before) -> named.value) INTO told
  FROM jsonb_each_text(TG_ARGV[1]::jsonb) named;
  IF TG_NARGS > 2 THEN
    told := told || jsonb_build_object('changed', (
      SELECT coalesce(jsonb_agg(one.name ORDER BY one.place), '[]')
      FROM jsonb_array_elements_text(TG_ARGV[2]::jsonb) WITH ORDINALITY one(name, place)
      WHERE before -> one.name IS DISTINCT FROM after -> one.name
    ));
  END IF;
  INSERT INTO "OutboxEvent" ("id", "workspaceId", "type", "data") VALUES ("newId"('evt'), workspace, event, told);
  RETURN NULL;
END $$;

-- The same for messages, of which many are inserted at once.
CREATE FUNCTION "recordRowEvents"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  workspace text;
  rows jsonb;
  columns text;
  told jsonb;
BEGIN
  FOR workspace IN SELECT DISTINCT "workspaceId" FROM added ORDER BY 1 LOOP
    CONTINUE WHEN NOT EXISTS (SELECT FROM "Webhook" WHERE "workspaceId" = workspace AND "enabled");
    SELECT jsonb_agg(to_jsonb(row)) INTO rows FROM added row WHERE row."workspaceId" = workspace;
    SELECT string_agg(format('%L, %s', named.key, named.value), ', ') INTO columns FROM jsonb_each_text(TG_ARGV[1]::jsonb) named;
    FOR told IN EXECUTE format('SELECT jsonb_build_object(%s) FROM %s', columns, TG_ARGV[2]) USING rows, workspace LOOP
      PERFORM "tellEvent"(workspace, TG_ARGV[0], told);
    END LOOP;
  END LOOP;
  RETURN NULL;
END $$;

-- The audit log

-- Writes the audit log: one entry per changed row and transaction. Its argument is the rule of the table, from
-- src/database/audit/rules.ts; who acts is in a setting of the transaction, empty if the gateway acts by itself. A token that
-- somebody got for a member (POST /apps/auth) makes rows that name this member: who acted is in the audit log alone, so it
-- has each of these rows.
CREATE FUNCTION "auditRow"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  rule jsonb := TG_ARGV[0]::jsonb;
  actor jsonb := nullif(current_setting('parley.actor', true), '')::jsonb;
  before jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) ELSE '{}' END;
  after jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) ELSE '{}' END;
  present jsonb := CASE WHEN TG_OP = 'DELETE' THEN before ELSE after END;
  -- Only a row of "Workspace" has no column of that name.
  workspace text := coalesce(present ->> 'workspaceId', present ->> 'id');
  what text := rule ->> 'type';
  changed jsonb;
  told text[];
  verb "AuditAction";
  identity text;
  known record;
BEGIN
  IF actor IS NULL AND NOT rule ? 'bySystem' THEN RETURN NULL; END IF;
  -- A branch copies messages of others.
  IF rule ? 'onBehalf' AND (actor ->> 'onBehalfOfId' IS NULL
    OR TG_OP = 'INSERT' AND after ->> 'createdBy' IS DISTINCT FROM actor ->> 'onBehalfOfId') THEN RETURN NULL; END IF;
  SELECT string_agg(present ->> part.name, '/' ORDER BY part.place) INTO identity
  FROM jsonb_array_elements_text(rule -> 'id') WITH ORDINALITY part(name, place);
  IF rule ? 'field' THEN
    verb := 'updated';
    changed := jsonb_build_object(rule ->> 'field', jsonb_build_object(
      CASE WHEN TG_OP = 'DELETE' THEN 'removed' ELSE 'added' END, jsonb_build_array(present -> (rule ->> 'column'))
    ));
  ELSIF rule ? 'mark' THEN
    verb := (rule -> 'actions' ->> (CASE WHEN after ->> (rule ->> 'mark') IS NULL THEN 1 ELSE 0 END))::"AuditAction";
    changed := jsonb_build_object(rule ->> 'mark', jsonb_build_object(
      'before', before -> (rule ->> 'mark'), 'after', after -> (rule ->> 'mark')
    ));
  ELSE
    verb := CASE
      WHEN TG_OP = 'INSERT' THEN 'created'
      WHEN TG_OP = 'DELETE' OR (before ->> (rule ->> 'removedAt') IS NULL AND after ->> (rule ->> 'removedAt') IS NOT NULL) THEN 'deleted'
      ELSE 'updated'
    END;
    -- Of a new or a deleted row, only what has a value that may be recorded.
    SELECT coalesce(jsonb_object_agg(
      regexp_replace(column_name, '(Cipher|Hash)$', ''),
      CASE WHEN NOT rule -> 'values' ? column_name THEN '{}'
        WHEN TG_OP = 'INSERT' THEN jsonb_build_object('after', after -> column_name)
        WHEN TG_OP = 'DELETE' THEN jsonb_build_object('before', before -> column_name)
        ELSE jsonb_build_object('before', before -> column_name, 'after', after -> column_name)
      END
    ), '{}') INTO changed
    FROM jsonb_object_keys(present) column_name
    WHERE NOT rule -> 'omit' ? column_name
      AND CASE WHEN TG_OP = 'UPDATE' THEN before -> column_name IS DISTINCT FROM after -> column_name
        ELSE rule -> 'values' ? column_name AND present -> column_name NOT IN ('null', '[]') END
      -- Without an actor, secrets are only encrypted again.
      AND (actor IS NOT NULL OR TG_OP <> 'UPDATE' OR column_name NOT LIKE '%Cipher');
    IF TG_OP = 'UPDATE' AND changed = '{}' AND (NOT rule ? 'named' OR actor ->> 'onBehalfOfId' IS NULL) THEN RETURN NULL; END IF;
  END IF;

  SELECT e."id", e."action", e."changes" INTO known FROM "AuditEntry" e
  WHERE e."workspaceId" = workspace AND e."createdAt" = now()::timestamptz(3)
    AND e."transaction" = pg_current_xact_id()::text AND e."type" = what AND e."rowId" = identity;
  IF known."id" IS NULL THEN
    told := ARRAY(SELECT jsonb_object_keys(changed) ORDER BY 1);
    INSERT INTO "AuditEntry"
      ("workspaceId", "id", "actorKind", "actorId", "onBehalfOfId", "address", "action", "type", "rowId", "fields", "changes", "transaction")
    VALUES (workspace, "newId"('aud'), coalesce(actor ->> 'kind', 'system')::"AuditActorKind", actor ->> 'id',
      actor ->> 'onBehalfOfId', actor ->> 'address', verb, what, identity, told, changed,
      pg_current_xact_id()::text);
  ELSE
    -- Several rows that join it to others: all of their ids.
    IF rule ? 'field' AND known."changes" ? (rule ->> 'field') THEN
      changed := jsonb_build_object(rule ->> 'field', (
        SELECT jsonb_object_agg(side.key, coalesce(known."changes" -> (rule ->> 'field') -> side.key, '[]')
          || coalesce(changed -> (rule ->> 'field') -> side.key, '[]'))
        FROM jsonb_object_keys((known."changes" -> (rule ->> 'field')) || (changed -> (rule ->> 'field'))) side(key)
      ));
    END IF;
    changed := known."changes" || changed;
    told := ARRAY(SELECT jsonb_object_keys(changed) ORDER BY 1);
    UPDATE "AuditEntry" SET
      "action" = CASE
        WHEN known."action" = 'created' AND verb = 'updated' THEN 'created'
        WHEN known."action" = 'deleted' AND verb = 'created' THEN 'updated'
        WHEN known."action" = 'deleted' AND verb = 'updated' THEN 'deleted'
        ELSE verb
      END,
      "changes" = changed, "fields" = told
    WHERE "workspaceId" = workspace AND "id" = known."id";
  END IF;
  RETURN NULL;
END $$;

-- Messages: files, citations, stages, takeover

-- Which messages have a file is kept by the table itself, so that no way of writing messages can forget it: a turn, a
-- branch of a conversation, the job that moves attachments.
CREATE FUNCTION "keepMessageFiles"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "MessageFile" ("workspaceId", "messageId", "fileId")
  SELECT DISTINCT NEW."workspaceId", NEW."id", part ->> 'file'
  FROM jsonb_array_elements(NEW."attachments") part
  WHERE jsonb_typeof(part) = 'object' AND jsonb_typeof(part -> 'file') = 'string'
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER "Message_files" AFTER INSERT OR UPDATE OF attachments ON "Message" FOR EACH ROW WHEN (((new.attachments <> '[]'::jsonb) AND (jsonb_typeof(new.attachments) = 'array'::text))) EXECUTE FUNCTION "keepMessageFiles"();

-- A file that loses a message is looked at later: it may have others.
CREATE FUNCTION "checkStoredFile"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "StoredFile" SET "checkAt" = now() + interval '1 hour'
  WHERE "workspaceId" = OLD."workspaceId" AND "id" = OLD."fileId";
  RETURN NULL;
END $$;
CREATE TRIGGER "MessageFile_gone" AFTER DELETE ON "MessageFile" FOR EACH ROW EXECUTE FUNCTION "checkStoredFile"();

-- The sources that a reply cites. One that is being removed meanwhile is passed over: no reply waits for that or fails by it.
-- The id begins with the time of the message, as all ids begin with a time.
CREATE FUNCTION "citeSources"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "Citation" ("id", "workspaceId", "sourceId", "messageId", "createdAt")
  SELECT 'cit_' || substr(NEW."id", 5, 10) || substr(md5(NEW."id" || "Source"."id"), 1, 16),
    NEW."workspaceId", "Source"."id", NEW."id", NEW."createdAt"
  FROM "Source" WHERE "workspaceId" = NEW."workspaceId" AND "id" IN (
    SELECT reference ->> 'sourceId' FROM jsonb_array_elements(NEW."metadata" -> 'references') AS reference
  ) FOR KEY SHARE OF "Source" SKIP LOCKED;
  RETURN NULL;
END $$;
CREATE TRIGGER "Message_cites" AFTER INSERT ON "Message" FOR EACH ROW WHEN (((new.role = 'assistant'::"MessageRole") AND (jsonb_typeof((new.metadata -> 'references'::text)) = 'array'::text))) EXECUTE FUNCTION "citeSources"();

-- Whatever changes a conversation. The id begins with a time, as all ids do, and is one for a conversation and a stage.
CREATE FUNCTION "reachStage"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "ReachedStage" ("id", "workspaceId", "conversationId", "stage", "beganAt", "reachedAt", "elapsed")
  SELECT 'stg_' || substr(NEW."id", 5, 10) || substr(md5(NEW."id" || reached."stage"), 1, 16), NEW."workspaceId", NEW."id",
    reached."stage", NEW."createdAt", reached."at", least(extract(epoch FROM reached."at" - NEW."createdAt"), 2147483647)::int
  FROM (VALUES ('identify'::"ConversationStage", NEW."createdAt"), (NEW."stage", greatest(NEW."updatedAt", NEW."createdAt")))
    AS reached("stage", "at")
  ON CONFLICT ("workspaceId", "id") DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER "Conversation_begins" AFTER INSERT ON "Conversation" FOR EACH ROW EXECUTE FUNCTION "reachStage"();
CREATE TRIGGER "Conversation_reaches" AFTER UPDATE OF stage ON "Conversation" FOR EACH ROW WHEN ((new.stage <> old.stage)) EXECUTE FUNCTION "reachStage"();

-- However a conversation comes to await a person, the reply that is in progress in it stops.
CREATE FUNCTION "stopForPerson"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "Turn" SET "stopAsked" = true
  WHERE "workspaceId" = NEW."workspaceId" AND "id" = NEW."turnId" AND "state" = 'open';
  RETURN NULL;
END $$;
CREATE TRIGGER "Conversation_awaits_person" AFTER UPDATE OF status ON "Conversation" FOR EACH ROW WHEN (((new.status = 'waiting_human'::"ConversationStatus") AND (old.status <> 'waiting_human'::"ConversationStatus") AND (new."turnId" IS NOT NULL))) EXECUTE FUNCTION "stopForPerson"();

-- Gaps

-- Whatever removes what was asked: a gap counts what is left of it, and is deleted when nothing is.
CREATE FUNCTION "countGaps"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  lost record;
BEGIN
  FOR lost IN SELECT "workspaceId", array_agg(DISTINCT "gapId") AS gaps FROM removed GROUP BY 1 ORDER BY 1 LOOP
    -- In one order for all, so that two that remove questions of the same gaps do not wait for each other.
    PERFORM 1 FROM "Gap" WHERE "workspaceId" = lost."workspaceId" AND "id" = ANY (lost.gaps) ORDER BY "id" FOR UPDATE;
    DELETE FROM "Gap" WHERE "workspaceId" = lost."workspaceId" AND "id" = ANY (lost.gaps) AND NOT EXISTS (
      SELECT FROM "GapQuestion" AS question
      WHERE question."workspaceId" = lost."workspaceId" AND question."gapId" = "Gap"."id"
    );
    UPDATE "Gap" SET "count" = rest."count", "firstAskedAt" = rest."first", "lastAskedAt" = rest."last"
    FROM (
      SELECT "gapId", count(*)::int AS "count", min("askedAt") AS "first", max("askedAt") AS "last"
      FROM "GapQuestion" WHERE "workspaceId" = lost."workspaceId" AND "gapId" = ANY (lost.gaps) GROUP BY 1
    ) AS rest
    WHERE "Gap"."workspaceId" = lost."workspaceId" AND "Gap"."id" = rest."gapId";
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER "GapQuestion_removed" AFTER DELETE ON "GapQuestion" REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "countGaps"();

-- Answers stored with idempotency keys

-- Stored answers that name a deleted row. Those of a workspace name its own rows and its members.
CREATE FUNCTION "eraseAnswersOf"(workspace text, gone text[]) RETURNS void LANGUAGE sql AS $$
  UPDATE "Idempotency" SET "answerCipher" = NULL, "fingerprint" = '', "about" = '{}'
  WHERE "workspaceId" = workspace AND "about" && gone
$$;

CREATE FUNCTION "eraseAnswers"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "eraseAnswersOf"("workspaceId", array_agg("id")) FROM gone GROUP BY "workspaceId" ORDER BY "workspaceId";
  RETURN NULL;
END $$;
CREATE TRIGGER "Conversation_answers" AFTER DELETE ON "Conversation" REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION "eraseAnswers"();
CREATE TRIGGER "GapQuestion_answers" AFTER DELETE ON "GapQuestion" REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION "eraseAnswers"();
CREATE TRIGGER "Lead_answers" AFTER DELETE ON "Lead" REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION "eraseAnswers"();
CREATE TRIGGER "Message_answers" AFTER DELETE ON "Message" REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION "eraseAnswers"();

-- A person may stay a member elsewhere: what was answered here goes.
CREATE FUNCTION "eraseAnswersOfMember"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Those of workspace '' were given before the invitation was accepted.
  PERFORM "eraseAnswersOf"('', ARRAY[OLD."id", OLD."userId"]);
  PERFORM "eraseAnswersOf"(OLD."workspaceId", ARRAY[OLD."id", OLD."userId"]);
  RETURN NULL;
END $$;
CREATE TRIGGER "Membership_answers" AFTER DELETE ON "Membership" FOR EACH ROW EXECUTE FUNCTION "eraseAnswersOfMember"();
CREATE TRIGGER "Membership_answers_moved" AFTER UPDATE OF "userId" ON "Membership" FOR EACH ROW WHEN ((old."userId" IS DISTINCT FROM new."userId")) EXECUTE FUNCTION "eraseAnswersOfMember"();

CREATE FUNCTION "removeKeysOfWorkspace"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "Idempotency" WHERE "workspaceId" = OLD."id";
  RETURN NULL;
END $$;
CREATE TRIGGER "Workspace_keys" AFTER DELETE ON "Workspace" FOR EACH ROW EXECUTE FUNCTION "removeKeysOfWorkspace"();

-- The index of passages

-- Takes removed passages out of their segments, and deletes segments that have none left.
CREATE FUNCTION "unindexPassages"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  lost record;
BEGIN
  FOR lost IN
    SELECT "workspaceId", array_agg("segment") AS numbers, array_agg("count") AS counts, array_agg("words") AS words,
      array_agg("slots") AS slots
    FROM (
      SELECT "workspaceId", "segment", count(*)::int AS "count", sum("words")::int AS "words",
        string_agg(int2send("slot"), ''::bytea) AS "slots"
      FROM removed WHERE "segment" IS NOT NULL GROUP BY 1, 2
    ) AS counted
    GROUP BY 1 ORDER BY 1
  LOOP
    -- In one order for all, so that two that remove passages of the same segments do not wait for each other.
    PERFORM 1 FROM "PassageSegment" WHERE "workspaceId" = lost."workspaceId" AND "number" = ANY (lost.numbers)
    ORDER BY "number" FOR UPDATE;
    UPDATE "PassageSegment" AS part
    SET "live" = "live" - counted."count", "words" = part."words" - counted."words", "gone" = "gone" || counted."slots"
    FROM unnest(lost.numbers, lost.counts, lost.words, lost.slots) AS counted("number", "count", "words", "slots")
    WHERE part."workspaceId" = lost."workspaceId" AND part."number" = counted."number";
    DELETE FROM "PassageSegment"
    WHERE "workspaceId" = lost."workspaceId" AND "number" = ANY (lost.numbers) AND "live" <= 0;
  END LOOP;
  RETURN NULL;
END $$;


SET default_tablespace = '';

SET default_table_access_method = heap;
CREATE TRIGGER "Passage_removed" AFTER DELETE ON "Passage" REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "unindexPassages"();

-- The postings of deleted segments. They are looked up by their numbers: joined with the table of what was deleted, of which
-- the planner knows no size, all postings would be read. A run goes with the last segment that it has the postings of.
CREATE FUNCTION "removeTerms"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  lost record;
BEGIN
  FOR lost IN
    SELECT "workspaceId", array_agg("number") AS numbers, array_agg(DISTINCT "run") FILTER (WHERE "run" IS NOT NULL) AS runs
    FROM removed GROUP BY 1 ORDER BY 1
  LOOP
    DELETE FROM "PassageTerm" WHERE "workspaceId" = lost."workspaceId" AND "segment" = ANY (lost.numbers);
    DELETE FROM "PassageRun" AS run WHERE run."workspaceId" = lost."workspaceId" AND run."number" = ANY (lost.runs)
      AND NOT EXISTS (
        SELECT FROM "PassageSegment" AS part WHERE part."workspaceId" = lost."workspaceId" AND part."run" = run."number"
      );
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER "PassageSegment_removed" AFTER DELETE ON "PassageSegment" REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "removeTerms"();

CREATE FUNCTION "removeTermsOfRun"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  lost record;
BEGIN
  FOR lost IN SELECT "workspaceId", array_agg("number") AS numbers FROM removed GROUP BY 1 ORDER BY 1 LOOP
    DELETE FROM "PassageTerm" WHERE "workspaceId" = lost."workspaceId" AND "segment" = ANY (lost.numbers);
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER "PassageRun_removed" AFTER DELETE ON "PassageRun" REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "removeTermsOfRun"();

-- Passages are found by the title of their source and by what their base is called: a rename has them indexed anew.
CREATE FUNCTION "renameSource"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "PassageSegment" SET "analysis" = 0
  WHERE "workspaceId" = NEW."workspaceId" AND "baseId" = NEW."baseId" AND "draft" IS NULL AND (
    "sourceId" = NEW."id" OR "sourceId" IS NULL AND "number" IN (
      SELECT "segment" FROM "Passage" WHERE "workspaceId" = NEW."workspaceId" AND "sourceId" = NEW."id"
    ));
  RETURN NULL;
END $$;
CREATE TRIGGER "Source_renamed" AFTER UPDATE OF title ON "Source" FOR EACH ROW WHEN ((old.title IS DISTINCT FROM new.title)) EXECUTE FUNCTION "renameSource"();

CREATE FUNCTION "renameBase"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "PassageSegment" SET "analysis" = 0 WHERE "workspaceId" = NEW."workspaceId" AND "baseId" = NEW."id";
  RETURN NULL;
END $$;
CREATE TRIGGER "Base_renamed" AFTER UPDATE OF description ON "Base" FOR EACH ROW WHEN ((old.description IS DISTINCT FROM new.description)) EXECUTE FUNCTION "renameBase"();

-- The index of messages

-- Takes messages out of the search index. Whatever merges segments has the rows of these locked: none is missed meanwhile.
CREATE FUNCTION "forgetMessages"(workspace text, numbers integer[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  locked int;
  there int;
BEGIN
  LOOP
    -- In one order for all, so that two that remove messages of the same segments do not wait for each other.
    SELECT count(*) INTO locked FROM (
      SELECT FROM "MessageSegment" AS part WHERE "workspaceId" = workspace AND NOT "draft" AND EXISTS (
        SELECT FROM unnest(numbers) AS gone(number) WHERE gone.number >= part."first" AND gone.number < part."first" + part."size"
      ) ORDER BY part."number" FOR UPDATE
    ) AS held;
    SELECT count(*) INTO there FROM "MessageSegment" AS part WHERE "workspaceId" = workspace AND NOT "draft" AND EXISTS (
      SELECT FROM unnest(numbers) AS gone(number) WHERE gone.number >= part."first" AND gone.number < part."first" + part."size"
    );
    EXIT WHEN locked = there;
  END LOOP;
  UPDATE "MessageSegment" AS part SET "live" = "live" - lost."count",
    "words" = "words" - ("words"::bigint * lost."count" / greatest("live", 1))::int, "gone" = "gone" || lost."slots"
  FROM (
    SELECT held."number", count(*)::int AS "count", string_agg(int2send((gone.number - held."first")::smallint), ''::bytea) AS "slots"
    FROM unnest(numbers) AS gone(number) JOIN "MessageSegment" AS held ON held."workspaceId" = workspace AND NOT held."draft"
      AND gone.number >= held."first" AND gone.number < held."first" + held."size"
    GROUP BY 1
  ) AS lost WHERE part."workspaceId" = workspace AND part."number" = lost."number";
END $$;

-- A message whose text changes is indexed anew; so is one of whose attachments more is known.
CREATE FUNCTION "indexAnew"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."searchNumber" := NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER "Message_says" BEFORE UPDATE OF content, attachments ON "Message" FOR EACH ROW WHEN (((old."searchNumber" IS NOT NULL) AND ((old.content IS DISTINCT FROM new.content) OR (old.attachments IS DISTINCT FROM new.attachments)))) EXECUTE FUNCTION "indexAnew"();

CREATE FUNCTION "indexMessagesOfFile"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "Message" SET "searchNumber" = NULL FROM "MessageFile" AS held
  WHERE held."workspaceId" = NEW."workspaceId" AND held."fileId" = NEW."id"
    AND "Message"."workspaceId" = NEW."workspaceId" AND "Message"."id" = held."messageId" AND "Message"."searchNumber" IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER "StoredFile_read" AFTER UPDATE OF text ON "StoredFile" FOR EACH ROW WHEN ((old.text IS DISTINCT FROM new.text)) EXECUTE FUNCTION "indexMessagesOfFile"();

CREATE FUNCTION "unindexMessage"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "forgetMessages"(OLD."workspaceId", ARRAY[OLD."searchNumber"]);
  RETURN NULL;
END $$;
CREATE TRIGGER "Message_unnumbered" AFTER UPDATE ON "Message" FOR EACH ROW WHEN (((old."searchNumber" IS NOT NULL) AND (new."searchNumber" IS NULL))) EXECUTE FUNCTION "unindexMessage"();

CREATE FUNCTION "unindexMessages"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "forgetMessages"("workspaceId", array_agg("searchNumber"))
  FROM removed WHERE "searchNumber" IS NOT NULL GROUP BY "workspaceId" ORDER BY "workspaceId";
  RETURN NULL;
END $$;
CREATE TRIGGER "Message_removed" AFTER DELETE ON "Message" REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "unindexMessages"();

CREATE FUNCTION "removeMessageTerms"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  lost record;
BEGIN
  FOR lost IN SELECT "workspaceId", array_agg("number") AS numbers FROM removed GROUP BY 1 ORDER BY 1 LOOP
    DELETE FROM "MessageTerm" WHERE "workspaceId" = lost."workspaceId" AND "segment" = ANY (lost.numbers);
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER "MessageSegment_removed" AFTER DELETE ON "MessageSegment" REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION "removeMessageTerms"();

-- Events of rows, and the audit log: as the code declares them (`npm run migration` compares them)

CREATE TRIGGER "Message_created" AFTER INSERT ON "Message" REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "recordRowEvents"('message.created', '{"messageId":"row.\"id\"","conversationId":"conversation.\"id\"","agentId":"conversation.\"agentId\"","role":"row.\"role\""}', 'jsonb_populate_recordset(NULL::"Message", $1) row JOIN "Conversation" conversation ON conversation."workspaceId" = $2 AND conversation."id" = row."conversationId" LEFT JOIN "Message" edited ON edited."workspaceId" = $2 AND edited."id" = conversation."branchedAtId" WHERE NOT conversation."preview" AND row."position" >= coalesce(edited."position", 0) ORDER BY row."conversationId", row."position"');
CREATE TRIGGER "Conversation_created" AFTER INSERT ON "Conversation" FOR EACH ROW WHEN (NOT NEW."preview") EXECUTE FUNCTION "recordRowEvent"('conversation.created', '{"conversationId":"id","agentId":"agentId"}');
CREATE TRIGGER "Conversation_updated" AFTER UPDATE ON "Conversation" FOR EACH ROW WHEN ((OLD."status", OLD."stage", OLD."outcome", OLD."satisfaction", OLD."leadId", OLD."title") IS DISTINCT FROM (NEW."status", NEW."stage", NEW."outcome", NEW."satisfaction", NEW."leadId", NEW."title") AND NOT NEW."preview") EXECUTE FUNCTION "recordRowEvent"('conversation.updated', '{"conversationId":"id","agentId":"agentId"}', '["status","stage","outcome","satisfaction","leadId","title"]');
CREATE TRIGGER "Lead_created" AFTER INSERT ON "Lead" FOR EACH ROW EXECUTE FUNCTION "recordRowEvent"('lead.created', '{"leadId":"id","agentId":"agentId"}');
CREATE TRIGGER "Lead_updated" AFTER UPDATE ON "Lead" FOR EACH ROW WHEN ((OLD."name", OLD."email", OLD."phone", OLD."company", OLD."site", OLD."custom", OLD."utm", OLD."capture") IS DISTINCT FROM (NEW."name", NEW."email", NEW."phone", NEW."company", NEW."site", NEW."custom", NEW."utm", NEW."capture")) EXECUTE FUNCTION "recordRowEvent"('lead.updated', '{"leadId":"id","agentId":"agentId"}');
CREATE TRIGGER "Lead_removed" AFTER DELETE ON "Lead" FOR EACH ROW EXECUTE FUNCTION "recordRowEvent"('lead.removed', '{"leadId":"id","agentId":"agentId"}');
CREATE TRIGGER "Source_succeeded" AFTER UPDATE ON "Source" FOR EACH ROW WHEN (OLD."status" = 'in_progress' AND NEW."status" <> 'in_progress' AND NOT (NEW."status" = 'failed' OR NEW."lastRefreshError" IS NOT NULL)) EXECUTE FUNCTION "recordRowEvent"('source.succeeded', '{"sourceId":"id","baseId":"baseId"}');
CREATE TRIGGER "Source_failed" AFTER UPDATE ON "Source" FOR EACH ROW WHEN (OLD."status" = 'in_progress' AND NEW."status" <> 'in_progress' AND (NEW."status" = 'failed' OR NEW."lastRefreshError" IS NOT NULL)) EXECUTE FUNCTION "recordRowEvent"('source.failed', '{"sourceId":"id","baseId":"baseId"}');
CREATE TRIGGER "Alert_started" AFTER UPDATE ON "Alert" FOR EACH ROW WHEN ((OLD."state") IS DISTINCT FROM (NEW."state") AND NEW."state" = 'started') EXECUTE FUNCTION "recordRowEvent"('alert.started', '{"alertId":"id","dashboardId":"dashboardId"}');
CREATE TRIGGER "Alert_ended" AFTER UPDATE ON "Alert" FOR EACH ROW WHEN ((OLD."state") IS DISTINCT FROM (NEW."state") AND OLD."state" = 'started') EXECUTE FUNCTION "recordRowEvent"('alert.ended', '{"alertId":"id","dashboardId":"dashboardId"}');
CREATE TRIGGER "Alert_paused" AFTER UPDATE ON "Alert" FOR EACH ROW WHEN ((OLD."pausedReason") IS DISTINCT FROM (NEW."pausedReason") AND OLD."pausedReason" IS NULL) EXECUTE FUNCTION "recordRowEvent"('alert.paused', '{"alertId":"id","dashboardId":"dashboardId"}');
CREATE TRIGGER "Workspace_audit_update" AFTER UPDATE ON "Workspace" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Workspace","id":["id"],"values":["maxInteractions"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Settings_audit_insert" AFTER INSERT ON "Settings" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (NEW."merge" <> 'never' OR coalesce(NEW."requestsPerMinute", NEW."costPerMinute", NEW."tokenRequestsPerMinute", NEW."tokenCostPerMinute") IS NOT NULL OR NEW."retention" <> '{}')) EXECUTE FUNCTION "auditRow"('{"type":"Settings","id":["workspaceId"],"values":["merge","requestsPerMinute","costPerMinute","tokenRequestsPerMinute","tokenCostPerMinute","retention"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Settings_audit_update" AFTER UPDATE ON "Settings" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Settings","id":["workspaceId"],"values":["merge","requestsPerMinute","costPerMinute","tokenRequestsPerMinute","tokenCostPerMinute","retention"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Membership_audit_insert" AFTER INSERT ON "Membership" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Membership","id":["id"],"values":["role","userId","acceptedAt"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Membership_audit_update" AFTER UPDATE ON "Membership" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Membership","id":["id"],"values":["role","userId","acceptedAt"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Membership_audit_delete" AFTER DELETE ON "Membership" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Membership","id":["id"],"values":["role","userId","acceptedAt"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "App_audit_insert" AFTER INSERT ON "App" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"App","id":["id"],"values":["roles","internal"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","ownersOnly","unrestricted"]}');
CREATE TRIGGER "App_audit_update" AFTER UPDATE ON "App" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,ownersOnly,unrestricted}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,ownersOnly,unrestricted}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"App","id":["id"],"values":["roles","internal"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","ownersOnly","unrestricted"]}');
CREATE TRIGGER "App_audit_delete" AFTER DELETE ON "App" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"App","id":["id"],"values":["roles","internal"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","ownersOnly","unrestricted"]}');
CREATE TRIGGER "AppRole_audit_insert" AFTER INSERT ON "AppRole" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"RoleRecord","id":["membershipId","appId"],"values":["role","membershipId","appId"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","enforced"]}');
CREATE TRIGGER "AppRole_audit_update" AFTER UPDATE ON "AppRole" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (OLD."updatedBy" IS DISTINCT FROM NEW."updatedBy" OR (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,enforced}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,enforced}'::text[]))) EXECUTE FUNCTION "auditRow"('{"type":"RoleRecord","id":["membershipId","appId"],"values":["role","membershipId","appId"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","enforced"],"named":true}');
CREATE TRIGGER "AppRole_audit_delete" AFTER DELETE ON "AppRole" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"RoleRecord","id":["membershipId","appId"],"values":["role","membershipId","appId"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","enforced"]}');
CREATE TRIGGER "Key_audit_insert" AFTER INSERT ON "Key" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Key","id":["id"],"values":["membershipId","scopes","agentIds","baseIds","operations","dashboardId","ratePerMinute","costPerMinute","expiresAt","revokedAt"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","lastUsedAt","lastUsedFrom"]}');
CREATE TRIGGER "Key_audit_update" AFTER UPDATE ON "Key" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,lastUsedAt,lastUsedFrom}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,lastUsedAt,lastUsedFrom}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Key","id":["id"],"values":["membershipId","scopes","agentIds","baseIds","operations","dashboardId","ratePerMinute","costPerMinute","expiresAt","revokedAt"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","lastUsedAt","lastUsedFrom"]}');
CREATE TRIGGER "Key_audit_delete" AFTER DELETE ON "Key" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Key","id":["id"],"values":["membershipId","scopes","agentIds","baseIds","operations","dashboardId","ratePerMinute","costPerMinute","expiresAt","revokedAt"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","lastUsedAt","lastUsedFrom"]}');
CREATE TRIGGER "Subscription_audit_insert" AFTER INSERT ON "Subscription" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"WorkspaceSubscription","id":["id"],"values":["status","appId","priceId","source","maxInteractions"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Subscription_audit_update" AFTER UPDATE ON "Subscription" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"WorkspaceSubscription","id":["id"],"values":["status","appId","priceId","source","maxInteractions"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Subscription_audit_delete" AFTER DELETE ON "Subscription" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"WorkspaceSubscription","id":["id"],"values":["status","appId","priceId","source","maxInteractions"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Agent_audit_insert" AFTER INSERT ON "Agent" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Agent","id":["id"],"values":["status","purpose","freedom","behaviorType","model","fallbackModel","temperature","references","retention"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Agent_audit_update" AFTER UPDATE ON "Agent" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (OLD."updatedBy" IS DISTINCT FROM NEW."updatedBy" OR (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]))) EXECUTE FUNCTION "auditRow"('{"type":"Agent","id":["id"],"values":["status","purpose","freedom","behaviorType","model","fallbackModel","temperature","references","retention"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"named":true}');
CREATE TRIGGER "Agent_audit_delete" AFTER DELETE ON "Agent" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Agent","id":["id"],"values":["status","purpose","freedom","behaviorType","model","fallbackModel","temperature","references","retention"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "AgentBase_audit_insert" AFTER INSERT ON "AgentBase" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Agent","id":["agentId"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"field":"bases","column":"baseId"}');
CREATE TRIGGER "AgentBase_audit_update" AFTER UPDATE ON "AgentBase" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Agent","id":["agentId"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"field":"bases","column":"baseId"}');
CREATE TRIGGER "AgentBase_audit_delete" AFTER DELETE ON "AgentBase" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Agent","id":["agentId"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"field":"bases","column":"baseId"}');
CREATE TRIGGER "AgentPlugin_audit_insert" AFTER INSERT ON "AgentPlugin" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Agent","id":["agentId"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"field":"plugins","column":"pluginId"}');
CREATE TRIGGER "AgentPlugin_audit_update" AFTER UPDATE ON "AgentPlugin" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Agent","id":["agentId"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"field":"plugins","column":"pluginId"}');
CREATE TRIGGER "AgentPlugin_audit_delete" AFTER DELETE ON "AgentPlugin" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Agent","id":["agentId"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"field":"plugins","column":"pluginId"}');
CREATE TRIGGER "Channel_audit_insert" AFTER INSERT ON "Channel" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Channel","id":["id"],"values":["agentId","platform","origins"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"removedAt":"removedAt"}');
CREATE TRIGGER "Channel_audit_update" AFTER UPDATE ON "Channel" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (OLD."updatedBy" IS DISTINCT FROM NEW."updatedBy" OR (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]))) EXECUTE FUNCTION "auditRow"('{"type":"Channel","id":["id"],"values":["agentId","platform","origins"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"removedAt":"removedAt","named":true}');
CREATE TRIGGER "Channel_audit_delete" AFTER DELETE ON "Channel" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Channel","id":["id"],"values":["agentId","platform","origins"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"removedAt":"removedAt"}');
CREATE TRIGGER "Plugin_audit_insert" AFTER INSERT ON "Plugin" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Plugin","id":["id"],"values":["authType"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Plugin_audit_update" AFTER UPDATE ON "Plugin" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Plugin","id":["id"],"values":["authType"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Plugin_audit_delete" AFTER DELETE ON "Plugin" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Plugin","id":["id"],"values":["authType"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Credential_audit_insert" AFTER INSERT ON "Credential" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Credential","id":["agentId","pluginId"],"values":["agentId","pluginId"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","status","failure","refreshingUntil"]}');
CREATE TRIGGER "Credential_audit_update" AFTER UPDATE ON "Credential" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,status,failure,refreshingUntil}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,status,failure,refreshingUntil}'::text[])) EXECUTE FUNCTION "auditRow"('{"type":"Credential","id":["agentId","pluginId"],"values":["agentId","pluginId"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","status","failure","refreshingUntil"]}');
CREATE TRIGGER "Credential_audit_delete" AFTER DELETE ON "Credential" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Credential","id":["agentId","pluginId"],"values":["agentId","pluginId"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","status","failure","refreshingUntil"]}');
CREATE TRIGGER "Webhook_audit_insert" AFTER INSERT ON "Webhook" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Webhook","id":["id"],"values":["enabled","events","runsAs"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Webhook_audit_delete" AFTER DELETE ON "Webhook" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Webhook","id":["id"],"values":["enabled","events","runsAs"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Webhook_audit_update" AFTER UPDATE ON "Webhook" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (OLD."updatedBy" IS DISTINCT FROM NEW."updatedBy" OR (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,failingSince}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,failingSince}'::text[]))) EXECUTE FUNCTION "auditRow"('{"type":"Webhook","id":["id"],"values":["enabled","events","disabledReason","runsAs"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","failingSince"],"bySystem":true,"named":true}');
CREATE TRIGGER "Field_audit_insert" AFTER INSERT ON "Field" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Field","id":["id"],"values":["active","type"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","nameKey"]}');
CREATE TRIGGER "Field_audit_update" AFTER UPDATE ON "Field" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (OLD."updatedBy" IS DISTINCT FROM NEW."updatedBy" OR (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,nameKey}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,nameKey}'::text[]))) EXECUTE FUNCTION "auditRow"('{"type":"Field","id":["id"],"values":["active","type"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","nameKey"],"named":true}');
CREATE TRIGGER "Field_audit_delete" AFTER DELETE ON "Field" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Field","id":["id"],"values":["active","type"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","nameKey"]}');
CREATE TRIGGER "Base_audit_insert" AFTER INSERT ON "Base" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Base","id":["id"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","status","records"]}');
CREATE TRIGGER "Base_audit_update" AFTER UPDATE ON "Base" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (OLD."updatedBy" IS DISTINCT FROM NEW."updatedBy" OR (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,status,records}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,status,records}'::text[]))) EXECUTE FUNCTION "auditRow"('{"type":"Base","id":["id"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","status","records"],"named":true}');
CREATE TRIGGER "Base_audit_delete" AFTER DELETE ON "Base" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Base","id":["id"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","status","records"]}');
CREATE TRIGGER "SavedOperation_audit_insert" AFTER INSERT ON "SavedOperation" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"SavedOperation","id":["id"],"values":["documentHash","cost"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "SavedOperation_audit_update" AFTER UPDATE ON "SavedOperation" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (OLD."updatedBy" IS DISTINCT FROM NEW."updatedBy" OR (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]))) EXECUTE FUNCTION "auditRow"('{"type":"SavedOperation","id":["id"],"values":["documentHash","cost"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"named":true}');
CREATE TRIGGER "SavedOperation_audit_delete" AFTER DELETE ON "SavedOperation" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"SavedOperation","id":["id"],"values":["documentHash","cost"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Dashboard_audit_insert" AFTER INSERT ON "Dashboard" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Dashboard","id":["id"],"values":["last","timeZone"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Dashboard_audit_update" AFTER UPDATE ON "Dashboard" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (OLD."updatedBy" IS DISTINCT FROM NEW."updatedBy" OR (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]))) EXECUTE FUNCTION "auditRow"('{"type":"Dashboard","id":["id"],"values":["last","timeZone"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"named":true}');
CREATE TRIGGER "Dashboard_audit_delete" AFTER DELETE ON "Dashboard" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Dashboard","id":["id"],"values":["last","timeZone"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Source_audit_delete" AFTER DELETE ON "Source" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Source","id":["id"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Lead_audit_delete" AFTER DELETE ON "Lead" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Lead","id":["id"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Conversation_audit_delete" AFTER DELETE ON "Conversation" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Conversation","id":["id"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Copy_audit_delete" AFTER DELETE ON "Copy" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Copy","id":["id"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Document_audit_delete" AFTER DELETE ON "Document" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"Document","id":["id"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "EvaluationCase_audit_delete" AFTER DELETE ON "EvaluationCase" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"EvaluationCase","id":["id"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "EvaluationRun_audit_delete" AFTER DELETE ON "EvaluationRun" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"EvaluationRun","id":["id"],"values":[],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"]}');
CREATE TRIGGER "Conversation_audit_update" AFTER UPDATE OF "takenOverBy" ON "Conversation" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND OLD."takenOverBy" IS DISTINCT FROM NEW."takenOverBy") EXECUTE FUNCTION "auditRow"('{"type":"Conversation","id":["id"],"values":["takenOverBy"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"mark":"takenOverBy","actions":["taken_over","handed_back"]}');
CREATE TRIGGER "Message_audit_insert" AFTER INSERT ON "Message" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (NEW."createdBy" IS NOT NULL)) EXECUTE FUNCTION "auditRow"('{"type":"Message","id":["id"],"values":["conversationId"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"onBehalf":true}');
CREATE TRIGGER "EvaluationCase_audit_insert" AFTER INSERT ON "EvaluationCase" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"EvaluationCase","id":["id"],"values":["agentId"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"onBehalf":true}');
CREATE TRIGGER "EvaluationCase_audit_update" AFTER UPDATE ON "EvaluationCase" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (OLD."updatedBy" IS DISTINCT FROM NEW."updatedBy" OR (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy}'::text[]))) EXECUTE FUNCTION "auditRow"('{"type":"EvaluationCase","id":["id"],"values":["agentId"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"named":true,"onBehalf":true}');
CREATE TRIGGER "EvaluationRun_audit_insert" AFTER INSERT ON "EvaluationRun" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "auditRow"('{"type":"EvaluationRun","id":["id"],"values":["agentId"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy"],"onBehalf":true}');
CREATE TRIGGER "Gap_audit_update" AFTER UPDATE ON "Gap" FOR EACH ROW WHEN (pg_trigger_depth() = 0 AND (OLD."updatedBy" IS DISTINCT FROM NEW."updatedBy" OR (to_jsonb(OLD.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,marks,count,firstAskedAt,lastAskedAt,rank}'::text[]) IS DISTINCT FROM (to_jsonb(NEW.*) - '{searchText,workspaceId,createdAt,createdBy,updatedAt,updatedBy,marks,count,firstAskedAt,lastAskedAt,rank}'::text[]))) EXECUTE FUNCTION "auditRow"('{"type":"Gap","id":["id"],"values":["state","sourceId"],"omit":["searchText","workspaceId","createdAt","createdBy","updatedAt","updatedBy","marks","count","firstAskedAt","lastAskedAt","rank"],"named":true,"onBehalf":true}');
