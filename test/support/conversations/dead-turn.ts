import type { Gateway } from '../gateway/app.ts';

/** Stops heartbeats: this process still lives, and would take the turn back. */
const silence = [
  `CREATE OR REPLACE FUNCTION keep_dead() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF OLD."aliveUntil" <= 'epoch' THEN NEW."aliveUntil" := OLD."aliveUntil"; END IF;
    RETURN NEW;
  END $$`,
  'DROP TRIGGER IF EXISTS keep_dead ON "Turn"',
  'CREATE TRIGGER keep_dead BEFORE UPDATE ON "Turn" FOR EACH ROW EXECUTE FUNCTION keep_dead()',
];

/** Ages the row of an open turn as fifteen seconds after its process was killed. */
export async function killTurn({ handle, database }: Gateway, id: string): Promise<void> {
  for (const statement of silence) await handle.pool.query(statement);
  await database.turn.updateMany({ where: { id, state: 'open' }, data: { aliveUntil: new Date(0) } });
}
