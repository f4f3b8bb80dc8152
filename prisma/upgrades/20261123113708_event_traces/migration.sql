-- AlterTable
ALTER TABLE "OutboxEvent" ADD COLUMN     "traceparent" TEXT;

-- Triggers write events, and know of the span that caused them only what the transaction says.
CREATE FUNCTION "nameCause"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."traceparent" := current_setting('parley.traceparent', true);
  RETURN NEW;
END $$;
CREATE TRIGGER "OutboxEvent_cause" BEFORE INSERT ON "OutboxEvent" FOR EACH ROW
  WHEN (current_setting('parley.traceparent', true) <> '') EXECUTE FUNCTION "nameCause"();
