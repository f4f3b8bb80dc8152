-- AlterTable
ALTER TABLE "App" ADD COLUMN     "ownersOnly" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "unrestricted" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "AppRole" ADD COLUMN     "enforced" BOOLEAN NOT NULL DEFAULT true;

-- What is there keeps what it could: apps get tokens for any role until their roles are set, whatever was recorded.
UPDATE "AppRole" SET "enforced" = false;
UPDATE "App" SET "unrestricted" = true, "ownersOnly" = EXISTS (
  SELECT FROM jsonb_array_elements(CASE jsonb_typeof("roles") WHEN 'array' THEN "roles" ELSE '[]' END) AS item,
    LATERAL (VALUES (item #>> '{}'), (item ->> 'role'), (item ->> 'id'), (item ->> 'key'), (item ->> 'name')) AS named ("text")
  WHERE lower(btrim(named."text")) = 'owner'
);
