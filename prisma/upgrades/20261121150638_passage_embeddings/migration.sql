-- AlterTable
ALTER TABLE "Source" ADD COLUMN     "embeddedAs" TEXT;

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

    CONSTRAINT "PassageEmbedding_pkey" PRIMARY KEY ("passageId","model")
);

-- CreateIndex
CREATE INDEX "PassageEmbedding_workspaceId_baseId_model_idx" ON "PassageEmbedding"("workspaceId", "baseId", "model");

-- CreateIndex
CREATE INDEX "PassageEmbedding_workspaceId_sourceId_model_hash_idx" ON "PassageEmbedding"("workspaceId", "sourceId", "model", "hash");

-- AddForeignKey
ALTER TABLE "PassageEmbedding" ADD CONSTRAINT "PassageEmbedding_workspaceId_sourceId_fkey" FOREIGN KEY ("workspaceId", "sourceId") REFERENCES "Source"("workspaceId", "id") ON DELETE CASCADE ON UPDATE CASCADE;


-- Vectors do not compress.
ALTER TABLE "PassageEmbedding" ALTER COLUMN "embedding" SET STORAGE EXTERNAL;
