-- CreateTable
-- Unlogged: counts of one minute are written often, and a crash may forget them.
CREATE UNLOGGED TABLE "WidgetWindow" (
    "key" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "endsAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "WidgetWindow_pkey" PRIMARY KEY ("key")
);
