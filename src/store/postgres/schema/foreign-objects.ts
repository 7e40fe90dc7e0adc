/** The oid of the store's schema; PostgreSQL leaves one that the log-in may not use out of its search path, but not out of this. */
const place = `with place as (
    select pg_catalog.btrim(pg_catalog.split_part(pg_catalog.current_setting('search_path'), ',', 1), '"') as schema
  ), space as (select oid, nspname from pg_catalog.pg_namespace where nspname = (select schema from place))`;

/** What would run inside our statements or answer in place of our tables. Our migrations make none of it. */
const foreign = `extension as (
    select classid as class, objid as part from pg_catalog.pg_depend where deptype = 'e'
  ), own as (
    select oid, relname, relkind, relrowsecurity from pg_catalog.pg_class c where relnamespace = (select oid from space)
      and not exists (select from extension where class = 'pg_catalog.pg_class'::regclass::oid and part = c.oid)
  ), parts as (
    select 'pg_catalog.pg_class'::regclass::oid as class, oid as part, relname from own
    union all select 'pg_catalog.pg_attrdef'::regclass::oid, a.oid, relname from pg_catalog.pg_attrdef a join own on own.oid = adrelid
    union all select 'pg_catalog.pg_constraint'::regclass::oid, o.oid, relname
      from pg_catalog.pg_constraint o join own on own.oid = conrelid
  ), strange as (
    select pg_catalog.format('a trigger %I on %I', tgname, relname) as what
      from pg_catalog.pg_trigger join own on own.oid = tgrelid where not tgisinternal
    union all select pg_catalog.format('a rule %I on %I', rulename, relname)
      from pg_catalog.pg_rewrite join own on own.oid = ev_class where relkind in ('r', 'p')
    union all select pg_catalog.format('a policy %I on %I', polname, relname)
      from pg_catalog.pg_policy join own on own.oid = polrelid
    union all select pg_catalog.format('row security on %I', relname) from own where relrowsecurity
    union all select pg_catalog.format('the %s %I', case relkind when 'f' then 'foreign table' else 'view' end, relname)
      from own where relkind in ('v', 'm', 'f')
    union all select pg_catalog.format('the table %I, which inherits from %I', c.relname, own.relname)
      from pg_catalog.pg_inherits join own on own.oid = inhparent join pg_catalog.pg_class c on c.oid = inhrelid
      where own.relkind = 'r'
    union all select pg_catalog.format('the function %I', proname)
      from pg_catalog.pg_proc o where pronamespace = (select oid from space)
        and not exists (select from extension where class = 'pg_catalog.pg_proc'::regclass::oid and part = o.oid)
    union all select pg_catalog.format('the operator %s', oprname)
      from pg_catalog.pg_operator o where oprnamespace = (select oid from space)
        and not exists (select from extension where class = 'pg_catalog.pg_operator'::regclass::oid and part = o.oid)
    union all select pg_catalog.format('the type %I', typname)
      from pg_catalog.pg_type o where typnamespace = (select oid from space) and typtype in ('d', 'e', 'r')
        and not exists (select from extension where class = 'pg_catalog.pg_type'::regclass::oid and part = o.oid)
    union all select pg_catalog.format('something made by others in the definition of %I', relname)
      from pg_catalog.pg_depend join parts on class = classid and part = objid
      where refclassid in ('pg_catalog.pg_proc'::regclass::oid, 'pg_catalog.pg_operator'::regclass::oid,
        'pg_catalog.pg_type'::regclass::oid, 'pg_catalog.pg_opclass'::regclass::oid)
  )`;

/**
 * SQL that reads what is in the store's schema: its name, the number of tables, whether one is that of the version, and a list
 * of foreign objects. It runs before anything of the schema is known to be ours, also as a superuser. A function or an operator
 * that fits its values better than PostgreSQL's own would run in place of that, so that names are qualified and types equal.
 */
export const placeSql = `${place}, ${foreign}
  select (select schema from place) as schema,
    (select pg_catalog.count(*) from own where relkind in ('r', 'p', 'v', 'm', 'f'))::int4 as tables,
    exists (select from own where relname = 'store_version') as "isStore",
    array(select distinct what from strange order by what) as foreign`;

/**
 * SQL that reads who else could make functions in the store's schema later, which would then run with the rights of the log-in that uses
 * the store: neither a superuser, nor the owner of the database or of the tables, nor this log-in. With the name as SQL writes it,
 * and whether the schema belongs to that role.
 */
export const creatorsSql = `${place}, trusted as (
    select datdba as role from pg_catalog.pg_database where datname = pg_catalog.current_database()
    union all select relowner from pg_catalog.pg_class
      where relnamespace = (select oid from space) and relname = 'store_version'
  ), creators as (
    select nspowner as role from pg_catalog.pg_namespace where oid = (select oid from space)
    union select a.grantee from pg_catalog.pg_namespace n, pg_catalog.aclexplode(n.nspacl) a
      where n.oid = (select oid from space) and a.privilege_type = 'CREATE'
  )
  select coalesce(rolname::text, 'PUBLIC') as name, coalesce(pg_catalog.quote_ident(rolname::text), 'PUBLIC') as quoted,
    role = (select nspowner from pg_catalog.pg_namespace where oid = (select oid from space)) as owns,
    pg_catalog.quote_ident(current_user::text) as own
  from creators left join pg_catalog.pg_roles r on r.oid = role
  where r.oid is null or not (rolsuper or rolname in ('pg_database_owner', current_user)
      or role in (select role from trusted)
      or (not (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
        and pg_catalog.pg_has_role(r.oid, 'member')))
  order by 1`;
