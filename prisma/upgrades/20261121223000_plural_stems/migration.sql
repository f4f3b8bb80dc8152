-- Words of Portuguese and Spanish have other stems than before, by which plurals are found: passages are indexed anew at
-- the next start. Drafts are left: they are of sources that are being read, and must not be seen before they are whole.
UPDATE "Passage" SET "segment" = NULL, "slot" = NULL FROM "PassageSegment" AS part
WHERE part."workspaceId" = "Passage"."workspaceId" AND part."number" = "Passage"."segment" AND part."draft" IS NULL;
DELETE FROM "PassageSegment" WHERE "draft" IS NULL;
