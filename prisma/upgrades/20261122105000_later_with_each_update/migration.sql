-- Two updates of a row never have the same time, be they of one millisecond or by clocks that differ: who says as of when it
-- knows a row is never taken for up to date when it is not. An update that does not write "updatedAt" leaves it as it is.
CREATE FUNCTION "laterThanBefore"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."updatedAt" := OLD."updatedAt" + interval '1 millisecond';
  RETURN NEW;
END $$;

DO $$
DECLARE
  "table" text;
BEGIN
  FOREACH "table" IN ARRAY ARRAY[
    'Agent', 'App', 'AppRole', 'Base', 'Channel', 'Conversation', 'Copy', 'Document', 'Field', 'Gap', 'Lead', 'Membership',
    'Message', 'Plugin', 'Settings', 'Source', 'Subscription', 'User', 'Webhook', 'Workspace'
  ] LOOP
    EXECUTE format(
      'CREATE TRIGGER %I BEFORE UPDATE OF "updatedAt" ON %I FOR EACH ROW WHEN (NEW."updatedAt" <= OLD."updatedAt") '
      'EXECUTE FUNCTION "laterThanBefore"()',
      "table" || '_later', "table"
    );
  END LOOP;
END $$;
