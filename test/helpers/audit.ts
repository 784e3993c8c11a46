import type pg from "pg";

/** Nothing can be written into the audit log while `work` is at it. */
export async function whileAuditFails<T>(pool: pg.Pool, work: () => Promise<T>): Promise<T> {
  await pool.query(
    `create function posthorn.refuse_audit() returns trigger language plpgsql
     as $$ begin raise exception 'the audit log takes nothing'; end $$`,
  );
  await pool.query(
    `create trigger refuse_audit before insert on posthorn.audit_log
     for each statement execute function posthorn.refuse_audit()`,
  );
  try {
    return await work();
  } finally {
    await pool.query("drop function posthorn.refuse_audit() cascade");
  }
}
