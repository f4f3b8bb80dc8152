-- DropIndex
DROP INDEX "Message_workspaceId_position_id_idx";

-- DropIndex
DROP INDEX "SourcePage_workspaceId_depth_id_idx";
