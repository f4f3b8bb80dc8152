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

-- CreateIndex
CREATE INDEX "LeadValue_workspaceId_messageId_idx" ON "LeadValue"("workspaceId", "messageId");

-- AddForeignKey
ALTER TABLE "LeadValue" ADD CONSTRAINT "LeadValue_workspaceId_leadId_fkey" FOREIGN KEY ("workspaceId", "leadId") REFERENCES "Lead"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "LeadValue" ADD CONSTRAINT "LeadValue_workspaceId_messageId_fkey" FOREIGN KEY ("workspaceId", "messageId") REFERENCES "Message"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;
