-- Names of what they are. Triggers know their functions by number, so none has to be made again.
ALTER TABLE "Turn" RENAME COLUMN "heardFrom" TO "inputFrom";
ALTER TABLE "Turn" RENAME COLUMN "heardTo" TO "inputTo";
ALTER FUNCTION "tellRow"() RENAME TO "recordRowEvent";
ALTER FUNCTION "tellAdded"() RENAME TO "recordRowEvents";
