-- However a conversation comes to await a person, the reply that is under way in it stops.
CREATE FUNCTION "stopForPerson"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "Turn" SET "stopAsked" = true WHERE "id" = NEW."turnId" AND "state" = 'open';
  RETURN NULL;
END $$;

CREATE TRIGGER "Conversation_awaits_person" AFTER UPDATE OF "status" ON "Conversation" FOR EACH ROW
  WHEN (NEW."status" = 'waiting_human' AND OLD."status" <> 'waiting_human' AND NEW."turnId" IS NOT NULL)
  EXECUTE FUNCTION "stopForPerson"();
