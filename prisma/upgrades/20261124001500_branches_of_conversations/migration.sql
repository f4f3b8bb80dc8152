-- Branches of a conversation, which go with the person who is erased; few conversations are branches.
CREATE INDEX "Conversation_branches" ON "Conversation" ("workspaceId", "branchedFromId") WHERE "branchedFromId" IS NOT NULL;
