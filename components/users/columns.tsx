import { CircleCheck, CircleOff, ShieldCheck } from "lucide-react";
import { listColumnHelper } from "#components/data-table/data-table.tsx";
import { RowLink } from "#components/data-table/row-link.tsx";
import { RelativeTime } from "#components/layout/time.tsx";
import { Pill, type PillLook } from "#components/ui/pill.tsx";
import { withQuery } from "#lib/api/fetcher.ts";
import { formatNoun } from "#lib/format.ts";
import type { User } from "#lib/users/schema.ts";
import { roleLabels, type UserStatus, userStatusLabels } from "#lib/vocabulary.ts";
import { ManageUser } from "./manage-user.tsx";

const looks = {
  active: { tone: "ok", icon: CircleCheck },
  deactivated: { tone: "idle", icon: CircleOff },
} satisfies Record<UserStatus, PillLook>;

const helper = listColumnHelper<User>();

export const userColumns = [
  helper.display({
    id: "name",
    header: "Name",
    meta: { phone: "lead", className: "truncate" },
    cell: ({ row: { original: user } }) => (
      <RowLink href={withQuery("/audit", { object_kind: "user", object_id: user.id })}>{user.name}</RowLink>
    ),
  }),
  helper.display({
    id: "email",
    header: "E-mail",
    meta: { phone: "second", className: "sm:w-[24%] truncate" },
    cell: ({ row: { original: user } }) => (
      <span className="text-ink-2" title={user.email}>
        {user.email}
      </span>
    ),
  }),
  helper.display({
    id: "role",
    header: "Role",
    meta: { phone: "hidden", className: "sm:w-[18%] truncate" },
    cell: ({ row: { original: user } }) => (
      <span className="text-ink-2" title={user.affiliate?.name}>
        {roleLabels[user.role]}
        {user.affiliate ? ` ${user.affiliate.name}` : ""}
      </span>
    ),
  }),
  helper.display({
    id: "signed_in",
    header: "Signed in",
    meta: { phone: "hidden", className: "sm:w-32 sm:max-lg:hidden" },
    cell: ({ row: { original: user } }) => (
      <span className="inline-flex items-center gap-1.5 text-ink-2">
        {user.session_count === 0 ? "Nowhere" : `At ${formatNoun(user.session_count, "place")}`}
        {user.two_factor ? (
          <ShieldCheck role="img" aria-label="with a second factor" className="size-4 shrink-0" />
        ) : null}
      </span>
    ),
  }),
  helper.display({
    id: "created",
    header: "Added",
    meta: { phone: "hidden", className: "sm:w-28 sm:max-md:hidden", sorted: "descending" },
    cell: ({ row: { original: user } }) => <RelativeTime iso={user.created_at} className="text-ink-2" />,
  }),
  helper.display({
    id: "status",
    header: "Status",
    meta: { phone: "lead-end", className: "sm:w-32" },
    cell: ({ row: { original: user } }) => (
      <Pill {...looks[user.status]}>{userStatusLabels[user.status]}</Pill>
    ),
  }),
  helper.display({
    id: "manage",
    header: () => <span className="sr-only">Manage</span>,
    meta: { phone: "second-end", className: "sm:w-24" },
    cell: ({ row: { original: user } }) => <ManageUser user={user} />,
  }),
];
