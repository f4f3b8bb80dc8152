-- Addresses with a user name or a password are refused since they would be shown to whoever reads the row, and are not fetched.
-- Those that were kept before lose them.
UPDATE "Plugin" SET "apiUrl" = regexp_replace("apiUrl", '^(\s*https?:[/\\]*)[^/?#\\]*@', '\1', 'i')
WHERE "apiUrl" ~* '^\s*https?:[/\\]*[^/?#\\]*@';
UPDATE "Plugin" SET "logoUrl" = regexp_replace("logoUrl", '^(\s*https?:[/\\]*)[^/?#\\]*@', '\1', 'i')
WHERE "logoUrl" ~* '^\s*https?:[/\\]*[^/?#\\]*@';
UPDATE "Plugin" SET "legalInfoUrl" = regexp_replace("legalInfoUrl", '^(\s*https?:[/\\]*)[^/?#\\]*@', '\1', 'i')
WHERE "legalInfoUrl" ~* '^\s*https?:[/\\]*[^/?#\\]*@';
UPDATE "Plugin" SET "url" = regexp_replace("url", '^(\s*https?:[/\\]*)[^/?#\\]*@', '\1', 'i')
WHERE "url" ~* '^\s*https?:[/\\]*[^/?#\\]*@';
UPDATE "Plugin" SET "settingsUrl" = regexp_replace("settingsUrl", '^(\s*https?:[/\\]*)[^/?#\\]*@', '\1', 'i')
WHERE "settingsUrl" ~* '^\s*https?:[/\\]*[^/?#\\]*@';
UPDATE "Plugin" SET "authorizationUrl" = regexp_replace("authorizationUrl", '^(\s*https?:[/\\]*)[^/?#\\]*@', '\1', 'i')
WHERE "authorizationUrl" ~* '^\s*https?:[/\\]*[^/?#\\]*@';
UPDATE "Plugin" SET "tokenUrl" = regexp_replace("tokenUrl", '^(\s*https?:[/\\]*)[^/?#\\]*@', '\1', 'i')
WHERE "tokenUrl" ~* '^\s*https?:[/\\]*[^/?#\\]*@';
UPDATE "Plugin" SET "revocationUrl" = regexp_replace("revocationUrl", '^(\s*https?:[/\\]*)[^/?#\\]*@', '\1', 'i')
WHERE "revocationUrl" ~* '^\s*https?:[/\\]*[^/?#\\]*@';
UPDATE "Source" SET "url" = regexp_replace("url", '^(\s*https?:[/\\]*)[^/?#\\]*@', '\1', 'i')
WHERE "url" ~* '^\s*https?:[/\\]*[^/?#\\]*@';
UPDATE "Source" SET "img" = regexp_replace("img", '^(\s*https?:[/\\]*)[^/?#\\]*@', '\1', 'i')
WHERE "img" ~* '^\s*https?:[/\\]*[^/?#\\]*@';
UPDATE "Webhook" SET "url" = regexp_replace("url", '^(\s*https?:[/\\]*)[^/?#\\]*@', '\1', 'i')
WHERE "url" ~* '^\s*https?:[/\\]*[^/?#\\]*@';
