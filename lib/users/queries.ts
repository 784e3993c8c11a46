import { and, eq, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { affiliates, sessions, twoFactors, users } from "#drizzle/schema/index.ts";
import { narrowedTo } from "#lib/affiliates/queries.ts";
import { keyset } from "#lib/api/keyset.ts";
import type { Page } from "#lib/api/paging.ts";
import { contains } from "#lib/api/search.ts";
import type { Orm } from "#lib/db/database.ts";
import type { Role, UserStatus } from "#lib/vocabulary.ts";
import type { User, UserListQuery } from "./schema.ts";

const status = sql<UserStatus>`case when ${users.deactivatedAt} is null then 'active' else 'deactivated' end`;

/** Over sessions_user. */
const sessionCount = sql<number>`(select count(*)::int from (
  select from ${sessions} s where s.user_id = ${users}.id and s.expires_at > now() limit 100) counted)`;

const columns = {
  id: users.id,
  name: users.name,
  email: users.email,
  role: users.role,
  status,
  twoFactor: users.twoFactorEnabled,
  createdAt: users.createdAt,
  sessionCount,
  affiliate: { id: affiliates.id, key: affiliates.key, name: affiliates.name },
};
type Row = Pick<typeof users.$inferSelect, "id" | "name" | "email" | "role" | "createdAt"> & {
  status: UserStatus;
  twoFactor: boolean;
  sessionCount: number;
  affiliate: User["affiliate"];
};

/** One page, newest first, along the primary key. Users are few: of the filters, the affiliate alone has an index. */
export async function selectUsers(orm: Orm, query: UserListQuery): Promise<Page<User>> {
  const list = keyset(query, { columns: [users.id], key: z.tuple([z.uuid()]), order: "descending" });
  const affiliate = narrowedTo({ key: query.affiliate, scope: null });
  const rows = await joined(orm)
    .where(
      and(
        query.q ? matches(query.q) : undefined,
        query.role && eq(users.role, query.role),
        query.status && sql`${status} = ${query.status}`,
        affiliate && sql`${users.affiliateId} = ${affiliate}`,
        list.where,
      ),
    )
    .orderBy(list.orderBy)
    .limit(list.fetch);
  return list.page(rows, { key: (row) => [row.id], item: toUser });
}

export async function selectUser(orm: Orm, id: string): Promise<User | null> {
  const [row] = await joined(orm).where(eq(users.id, id));
  return row ? toUser(row) : null;
}

/** The same, locked until the transaction ends. */
export async function lockUser(orm: Orm, id: string): Promise<User | null> {
  const rows = await orm.select({ id: users.id }).from(users).where(eq(users.id, id)).for("update");
  return rows.length > 0 ? selectUser(orm, id) : null;
}

export async function hasOtherAdmin(orm: Orm, id: string): Promise<boolean> {
  const rows = await orm
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.role, "admin"), isNull(users.deactivatedAt), ne(users.id, id)))
    .limit(1);
  return rows.length > 0;
}

export async function updateUserRole(
  orm: Orm,
  id: string,
  given: { role: Role; affiliateId: string | null },
): Promise<void> {
  await orm
    .update(users)
    .set({ ...given, updatedAt: sql`now()` })
    .where(eq(users.id, id));
}

export async function updateUserStatus(orm: Orm, id: string, status: UserStatus): Promise<void> {
  await orm
    .update(users)
    .set({ deactivatedAt: status === "active" ? null : sql`now()`, updatedAt: sql`now()` })
    .where(eq(users.id, id));
}

/** Forgets secret and backup codes. */
export async function deleteSecondFactor(orm: Orm, id: string): Promise<void> {
  await orm.delete(twoFactors).where(eq(twoFactors.userId, id));
  await orm.update(users).set({ twoFactorEnabled: false, updatedAt: sql`now()` }).where(eq(users.id, id));
}

function matches(text: string): SQL | undefined {
  const id = z.uuid().safeParse(text);
  return or(
    contains(users.name, text),
    contains(users.email, text),
    id.success ? eq(users.id, id.data) : undefined,
  );
}

function joined(orm: Orm) {
  return orm
    .select(columns)
    .from(users)
    .leftJoin(affiliates, eq(affiliates.id, users.affiliateId))
    .$dynamic();
}

function toUser(row: Row): User {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    role: row.role,
    affiliate: row.affiliate,
    status: row.status,
    two_factor: row.twoFactor,
    session_count: row.sessionCount,
    created_at: row.createdAt.toISOString(),
  };
}
