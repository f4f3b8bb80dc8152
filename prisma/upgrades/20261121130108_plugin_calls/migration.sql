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

-- AddForeignKey
ALTER TABLE "PluginCall" ADD CONSTRAINT "PluginCall_workspaceId_conversationId_fkey" FOREIGN KEY ("workspaceId", "conversationId") REFERENCES "Conversation"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;
