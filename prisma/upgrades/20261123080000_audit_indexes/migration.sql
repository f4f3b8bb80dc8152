-- CreateIndex
CREATE INDEX "AuditEntry_workspaceId_actorId_createdAt_id_idx" ON "AuditEntry"("workspaceId", "actorId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "AuditEntry_workspaceId_rowId_createdAt_id_idx" ON "AuditEntry"("workspaceId", "rowId", "createdAt", "id");
