-- CreateTable
CREATE TABLE "MessageTrace" (
    "workspaceId" TEXT NOT NULL,
    "messageId" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "MessageTrace_pkey" PRIMARY KEY ("workspaceId","messageId")
);

-- AddForeignKey
ALTER TABLE "MessageTrace" ADD CONSTRAINT "MessageTrace_workspaceId_messageId_fkey" FOREIGN KEY ("workspaceId", "messageId") REFERENCES "Message"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;
