import type pg from 'pg';

/**
 * Makes a database of a plain PostgreSQL server look like the coordinator of a Citus cluster with two nodes, as far as
 * `npm run distribute` and migrations can tell: the catalogs that they read, and functions that write down what is
 * asked of them and refuse what Citus was seen to refuse. No row goes anywhere. A comment on "Gateway" such as
 * "10.0.0.2 hangs, 10.0.0.3 is down" makes nodes not answer. It takes a superuser.
 */
export async function standInForCitus(client: pg.ClientBase, version = '13.2-1'): Promise<void> {
  await client.query('SET allow_system_table_mods = on; SET client_min_messages = warning');
  await client.query(catalogs);
  await client.query(
    `INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
     VALUES (99999, 'citus', 10, 'pg_catalog'::regnamespace, false, $1)`,
    [version],
  );
  await client.query('RESET allow_system_table_mods');
}

const catalogs = `
  CREATE TABLE pg_catalog.pg_dist_node (isactive bool, noderole text, shouldhaveshards bool, nodename text, nodeport int);
  INSERT INTO pg_catalog.pg_dist_node VALUES (true, 'primary', false, '10.0.0.1', 5432),
    (true, 'primary', true, '10.0.0.2', 5432), (true, 'primary', true, '10.0.0.3', 5432);
  CREATE FUNCTION pg_catalog.citus_check_connection_to_node(name text, port int) RETURNS bool LANGUAGE plpgsql AS $$
  DECLARE
    note text := coalesce(obj_description('public."Gateway"'::regclass), '');
  BEGIN
    IF note LIKE '%' || name || ' hangs%' THEN PERFORM pg_sleep(600); END IF;
    RETURN note NOT LIKE '%' || name || ' is down%';
  END $$;
  CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid oid, partmethod "char", "column" text, shards int, beside oid);
  CREATE TABLE pg_catalog.pg_dist_object (classid oid, objid oid);

  CREATE FUNCTION pg_catalog.create_reference_table(t regclass) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_catalog.refuse_keys(t, 'n');
    INSERT INTO pg_dist_partition VALUES (t, 'n', NULL, 1, NULL);
  END $$;

  CREATE FUNCTION pg_catalog.create_distributed_table(t regclass, c text, colocate_with text DEFAULT 'default', shard_count int DEFAULT NULL)
  RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    copied int;
  BEGIN
    IF EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = t) THEN RAISE 'table % is already distributed', t; END IF;
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = t AND attname = c) THEN RAISE 'column % of % does not exist', c, t; END IF;
    IF colocate_with <> 'none' AND NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = colocate_with::regclass) THEN
      RAISE 'relation % is not distributed', colocate_with;
    END IF;
    IF EXISTS (SELECT FROM pg_index x JOIN pg_attribute a ON a.attrelid = t AND a.attname = c
      WHERE x.indrelid = t AND x.indisunique AND a.attnum <> ALL (x.indkey)) THEN
      RAISE 'cannot create constraint on "%"', t USING DETAIL = 'Distributed relations cannot have UNIQUE, EXCLUDE, or PRIMARY KEY constraints that do not include the partition column.';
    END IF;
    PERFORM pg_catalog.refuse_keys(t, 'h');
    -- Rows are copied into the shards by COPY, whose triggers name tables that may not be there yet.
    EXECUTE format('SELECT FROM %s LIMIT 1', t) ;
    GET DIAGNOSTICS copied = ROW_COUNT;
    IF copied > 0 AND EXISTS (SELECT FROM pg_trigger WHERE tgrelid = t AND NOT tgisinternal AND tgenabled <> 'D') THEN
      RAISE 'relation "Webhook" does not exist';
    END IF;
    INSERT INTO pg_dist_partition VALUES (t, 'h', c, shard_count, CASE WHEN colocate_with <> 'none' THEN colocate_with::regclass END);
  END $$;

  -- References that a table of this kind must not have: to and from tables on the coordinator only, or with ON UPDATE.
  CREATE FUNCTION pg_catalog.refuse_keys(t regclass, kind "char") RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    found record;
  BEGIN
    FOR found IN SELECT * FROM pg_constraint WHERE contype = 'f' AND t IN (conrelid, confrelid) LOOP
      IF found.confupdtype NOT IN ('a', 'r') THEN
        RAISE 'cannot create foreign key constraint' USING ERRCODE = '0A000',
          DETAIL = 'SET NULL, SET DEFAULT or CASCADE is not supported in ON UPDATE operation when distribution key included in the foreign constraint.';
      END IF;
      IF EXISTS (SELECT FROM unnest(ARRAY[found.conrelid, found.confrelid]) o
        WHERE o <> t AND NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = o)) THEN
        RAISE 'cannot distribute relation %: % has a table that is local', t, found.conname;
      END IF;
    END LOOP;
  END $$;

  CREATE FUNCTION pg_catalog.truncate_local_data_after_distributing_table(t regclass) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND confrelid = t) THEN
      RAISE 'cannot truncate a table referenced in a foreign key constraint by a local table';
    END IF;
    EXECUTE format('COMMENT ON TABLE %s IS ''emptied''', t);
  END $$;

  CREATE FUNCTION pg_catalog.create_distributed_function(f regprocedure) RETURNS void LANGUAGE sql AS $$
    INSERT INTO pg_dist_object VALUES ('pg_proc'::regclass, f) $$`;
