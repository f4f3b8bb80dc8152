-- A secret is sent only to the origins that it was given for. For those that are stored, that is where they are sent today.
ALTER TABLE "Credential" ADD COLUMN     "origins" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "refreshOrigins" TEXT[] DEFAULT ARRAY[]::TEXT[];

ALTER TABLE "Plugin" ADD COLUMN     "clientSecretOrigins" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "serviceTokenOrigins" TEXT[] DEFAULT ARRAY[]::TEXT[];

CREATE FUNCTION "originsOf"(VARIADIC addresses text[]) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(array_agg(DISTINCT origin), '{}') FROM unnest(addresses) AS address,
    regexp_replace(regexp_replace(lower(substring(trim(address) from '^[hH][tT][tT][pP][sS]?://[^][/?#\\@ ]+')), '^(https://.*):443$', '\1'), '^(http://.*):80$', '\1') AS origin
  WHERE origin IS NOT NULL
$$;

CREATE FUNCTION "apiOrigins"(plugin "Plugin") RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT coalesce(
    (SELECT "originsOf"(VARIADIC array_agg(operation ->> 'url')) FROM "PluginInterface" i, jsonb_array_elements(i."operations") AS operation
     WHERE i."workspaceId" = plugin."workspaceId" AND i."pluginId" = plugin."id" HAVING count(*) > 0),
    "originsOf"(coalesce(nullif(plugin."apiUrl", ''), plugin."url")))
$$;

UPDATE "Plugin" AS p SET
  "serviceTokenOrigins" = CASE WHEN p."serviceTokenCipher" IS NULL THEN '{}' ELSE "apiOrigins"(p) END,
  "clientSecretOrigins" = CASE WHEN p."oauthClientSecretCipher" IS NULL THEN '{}' ELSE "originsOf"(p."tokenUrl", p."revocationUrl") END
WHERE p."serviceTokenCipher" IS NOT NULL OR p."oauthClientSecretCipher" IS NOT NULL;

UPDATE "Credential" AS c SET
  "origins" = "apiOrigins"(p),
  "refreshOrigins" = CASE WHEN c."refreshTokenCipher" IS NULL THEN '{}' ELSE "originsOf"(p."tokenUrl", p."revocationUrl") END
FROM "Plugin" AS p WHERE p."workspaceId" = c."workspaceId" AND p."id" = c."pluginId";

DROP FUNCTION "apiOrigins"("Plugin");
DROP FUNCTION "originsOf"(text[]);
