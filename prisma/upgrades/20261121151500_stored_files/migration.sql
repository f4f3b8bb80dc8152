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

    CONSTRAINT "StoredFile_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "MessageFile" (
    "workspaceId" TEXT NOT NULL,
    "messageId" TEXT NOT NULL,
    "fileId" TEXT NOT NULL,

    CONSTRAINT "MessageFile_pkey" PRIMARY KEY ("workspaceId","messageId","fileId")
);

-- CreateIndex
CREATE INDEX "StoredFile_checkAt_idx" ON "StoredFile"("checkAt");

-- Those that are to be deleted.
CREATE INDEX "StoredFile_unused" ON "StoredFile"("id") WHERE "hash" IS NULL;

-- CreateIndex
CREATE UNIQUE INDEX "StoredFile_workspaceId_id_key" ON "StoredFile"("workspaceId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "StoredFile_workspaceId_hash_key" ON "StoredFile"("workspaceId", "hash");

-- CreateIndex
CREATE INDEX "MessageFile_workspaceId_fileId_idx" ON "MessageFile"("workspaceId", "fileId");

-- AddForeignKey
ALTER TABLE "MessageFile" ADD CONSTRAINT "MessageFile_workspaceId_messageId_fkey" FOREIGN KEY ("workspaceId", "messageId") REFERENCES "Message"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "MessageFile" ADD CONSTRAINT "MessageFile_workspaceId_fileId_fkey" FOREIGN KEY ("workspaceId", "fileId") REFERENCES "StoredFile"("workspaceId", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

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

CREATE TRIGGER "Message_files" AFTER INSERT OR UPDATE OF "attachments" ON "Message" FOR EACH ROW
WHEN (NEW."attachments" <> '[]' AND jsonb_typeof(NEW."attachments") = 'array')
EXECUTE FUNCTION "keepMessageFiles"();

-- A file that loses a message is looked at later: it may have others.
CREATE FUNCTION "checkStoredFile"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "StoredFile" SET "checkAt" = now() + interval '1 hour'
  WHERE "workspaceId" = OLD."workspaceId" AND "id" = OLD."fileId";
  RETURN NULL;
END $$;

CREATE TRIGGER "MessageFile_gone" AFTER DELETE ON "MessageFile" FOR EACH ROW EXECUTE FUNCTION "checkStoredFile"();

-- The messages whose attachments still have their bytes in the row: a job moves them into the storage, until there are none.
CREATE INDEX "Message_attachments_in_row" ON "Message"("id") WHERE jsonb_path_exists("attachments", '$[*].data');
