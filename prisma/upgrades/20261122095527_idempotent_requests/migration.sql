-- AlterTable
ALTER TABLE "Idempotency" DROP CONSTRAINT "Idempotency_pkey",
ADD COLUMN     "about" TEXT[],
ADD COLUMN     "aliveUntil" TIMESTAMPTZ(3),
ADD COLUMN     "answerCipher" TEXT,
ADD COLUMN     "caller" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "holder" TEXT,
ALTER COLUMN "workspaceId" DROP NOT NULL,
ALTER COLUMN "turnId" DROP NOT NULL;

-- Keys of before belonged to the workspace, whoever asked: they are known for their day all the same.
UPDATE "Idempotency" SET "caller" = "workspaceId";
ALTER TABLE "Idempotency" ALTER COLUMN "caller" DROP DEFAULT,
ADD CONSTRAINT "Idempotency_pkey" PRIMARY KEY ("caller", "key");

-- CreateIndex
CREATE INDEX "Idempotency_workspaceId_idx" ON "Idempotency"("workspaceId");

-- CreateIndex
CREATE INDEX "Idempotency_about_idx" ON "Idempotency" USING GIN ("about");

-- A stored answer goes with whoever it tells of, by whichever way the row is removed. The key stays, so that the request
-- is not carried out again; what it said goes too, since a hash of an email address can be guessed.
CREATE FUNCTION "eraseAnswersAbout"(gone text[]) RETURNS void LANGUAGE sql AS $$
  UPDATE "Idempotency" SET "answerCipher" = NULL, "fingerprint" = '', "about" = '{}' WHERE "about" && gone
$$;

CREATE FUNCTION "eraseAnswers"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "eraseAnswersAbout"((SELECT array_agg("id") FROM gone));
  RETURN NULL;
END $$;

CREATE TRIGGER "Lead_answers" AFTER DELETE ON "Lead" REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION "eraseAnswers"();
CREATE TRIGGER "Conversation_answers" AFTER DELETE ON "Conversation" REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION "eraseAnswers"();
CREATE TRIGGER "Message_answers" AFTER DELETE ON "Message" REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION "eraseAnswers"();
CREATE TRIGGER "GapQuestion_answers" AFTER DELETE ON "GapQuestion" REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION "eraseAnswers"();
CREATE TRIGGER "User_answers" AFTER DELETE ON "User" REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION "eraseAnswers"();

-- A person may stay a member elsewhere: what was answered here goes.
CREATE FUNCTION "eraseAnswersOfMember"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "eraseAnswersAbout"(ARRAY[OLD."id"]);
  UPDATE "Idempotency" SET "answerCipher" = NULL, "fingerprint" = '', "about" = '{}'
  WHERE "about" && ARRAY[OLD."userId"] AND "workspaceId" = OLD."workspaceId";
  RETURN NULL;
END $$;

CREATE TRIGGER "Membership_answers" AFTER DELETE ON "Membership"
FOR EACH ROW EXECUTE FUNCTION "eraseAnswersOfMember"();
