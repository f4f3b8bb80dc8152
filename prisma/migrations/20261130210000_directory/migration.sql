-- In which workspace a secret, a widget's token or a person is to be looked up: no other one is asked.
CREATE TABLE "Directory" (
    "key" TEXT NOT NULL,
    "workspace" TEXT NOT NULL,
    "notedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Directory_pkey" PRIMARY KEY ("key","workspace")
);

-- On a shard of a cluster, the table is out of reach: the gateway writes it. What is there already is noted anew, so
-- that nothing which removes old entries meanwhile takes it for left over.
CREATE FUNCTION "noteInDirectory"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME !~ '_\d{6,}$' THEN
    INSERT INTO "Directory" ("key", "workspace")
      SELECT to_jsonb(NEW) ->> "column", NEW."workspaceId" FROM unnest(TG_ARGV) AS "column"
      WHERE to_jsonb(NEW) ->> "column" IS NOT NULL
      ON CONFLICT ("key", "workspace") DO UPDATE SET "notedAt" = EXCLUDED."notedAt";
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "App_directory" AFTER INSERT OR UPDATE OF "secretHash" ON "App" FOR EACH ROW EXECUTE FUNCTION "noteInDirectory"('secretHash');
CREATE TRIGGER "Key_directory" AFTER INSERT OR UPDATE OF "secretHash" ON "Key" FOR EACH ROW EXECUTE FUNCTION "noteInDirectory"('secretHash');
CREATE TRIGGER "Channel_directory" AFTER INSERT OR UPDATE OF "publishableToken" ON "Channel" FOR EACH ROW EXECUTE FUNCTION "noteInDirectory"('publishableToken');
CREATE TRIGGER "PluginGrant_directory" AFTER INSERT ON "PluginGrant" FOR EACH ROW EXECUTE FUNCTION "noteInDirectory"('stateHash', 'ticketHash');
CREATE TRIGGER "Membership_directory" AFTER INSERT OR UPDATE OF "userId", "linkHash" ON "Membership" FOR EACH ROW EXECUTE FUNCTION "noteInDirectory"('userId', 'linkHash');

-- The rows that there are.
INSERT INTO "Directory" ("key", "workspace")
  SELECT "secretHash", "workspaceId" FROM "App"
  UNION ALL SELECT "secretHash", "workspaceId" FROM "Key"
  UNION ALL SELECT "publishableToken", "workspaceId" FROM "Channel" WHERE "publishableToken" IS NOT NULL
  UNION ALL SELECT "stateHash", "workspaceId" FROM "PluginGrant"
  UNION ALL SELECT "ticketHash", "workspaceId" FROM "PluginGrant" WHERE "ticketHash" IS NOT NULL
  UNION ALL SELECT "userId", "workspaceId" FROM "Membership"
  UNION ALL SELECT "linkHash", "workspaceId" FROM "Membership" WHERE "linkHash" IS NOT NULL
  ON CONFLICT DO NOTHING;
