-- Whoever became a member by a link has not proven their email: from now on that workspace alone knows them.

-- Who did so and is, by the same row, a member elsewhere: that workspace gets a row of its own, and nothing else of theirs.
INSERT INTO "User" ("id", "name", "email", "invitedTo", "searchText", "createdAt", "updatedAt")
SELECT 'usr_' || substr(link."id", 5), person."name", person."email", link."workspaceId", person."searchText",
  link."createdAt", CURRENT_TIMESTAMP
FROM "Membership" link
JOIN "User" person ON person."id" = link."userId" AND person."invitedTo" = ''
WHERE link."acceptedByLink"
  AND EXISTS (SELECT FROM "Membership" other WHERE other."userId" = person."id"
    AND (NOT other."acceptedByLink" OR other."id" < link."id"));

UPDATE "Membership" link SET "userId" = described."id"
FROM "User" described
WHERE link."acceptedByLink" AND described."id" = 'usr_' || substr(link."id", 5)
  AND described."invitedTo" = link."workspaceId";

-- Who did nothing else keeps their row.
UPDATE "User" person SET "invitedTo" = link."workspaceId"
FROM "Membership" link
WHERE link."userId" = person."id" AND link."acceptedByLink" AND person."invitedTo" = '';
