-- Addresses with a user name or a password are refused since they would be shown to whoever reads the row. Those in attachments that
-- were kept before lose them, as do copies: bodies of webhooks, and what a source was last read from. A quote within a value is
-- written \" in JSON, so `"url": "` is always a key.
UPDATE "Message" SET "attachments" = regexp_replace("attachments"::text, '("url": "(\s|\\[nrt])*https?:[/\\]*)([^"/?#\\]|\\[bfnrtu])*@', '\1', 'gi')::jsonb
WHERE "attachments" <> '[]' AND "attachments"::text ~* '"url": "(\s|\\[nrt])*https?:[/\\]*([^"/?#\\]|\\[bfnrtu])*@';
UPDATE "WebhookDelivery" SET "body" = regexp_replace("body", '("url": ?"(\s|\\[nrt])*https?:[/\\]*)([^"/?#\\]|\\[bfnrtu])*@', '\1', 'gi')
WHERE "body" ~* '"url": ?"(\s|\\[nrt])*https?:[/\\]*([^"/?#\\]|\\[bfnrtu])*@';
UPDATE "Source" SET "validators" = regexp_replace("validators"::text, '("url": "(\s|\\[nrt])*https?:[/\\]*)([^"/?#\\]|\\[bfnrtu])*@', '\1', 'gi')::jsonb
WHERE "validators"::text ~* '"url": "(\s|\\[nrt])*https?:[/\\]*([^"/?#\\]|\\[bfnrtu])*@';
