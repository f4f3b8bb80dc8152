-- AlterTable
ALTER TABLE "Channel" ADD COLUMN     "identitySecretCipher" TEXT;
