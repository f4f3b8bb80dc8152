-- Vocabularies are read in whole by every search of a list: unpacking them would take longer than looking through them.
ALTER TABLE "PassageSegment" ALTER COLUMN "vocabulary" SET STORAGE EXTERNAL;
