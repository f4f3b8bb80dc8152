-- What filters by keys of JSON look up. Empty objects are left out, so that rows without keys cost nothing to write.
CREATE INDEX "Lead_keys" ON "Lead" USING GIN ("custom", "utm") WHERE "custom" <> '{}' OR "utm" <> '{}';

CREATE INDEX "Conversation_keys" ON "Conversation" USING GIN ("context") WHERE "context" <> '{}';
