"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleX, Hourglass, MailPlus, TimerOff } from "lucide-react";
import { useQueryStates } from "nuqs";
import { useCallback } from "react";
import { Expiry } from "#components/api-keys/expiry.tsx";
import { listColumnHelper } from "#components/data-table/data-table.tsx";
import { FilterBar, FilterChip } from "#components/data-table/filter-bar.tsx";
import { ListView } from "#components/data-table/list-view.tsx";
import { RowLink } from "#components/data-table/row-link.tsx";
import { type ActiveFilter, EmptyState } from "#components/data-table/states.tsx";
import { TextFilter } from "#components/data-table/text-filter.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { RelativeTime } from "#components/layout/time.tsx";
import { fixedOptions, type OptionSource } from "#components/ui/option-picker.tsx";
import { Pill, type PillLook } from "#components/ui/pill.tsx";
import { withQuery } from "#lib/api/fetcher.ts";
import { invitationListOptions } from "#lib/invitations/client.ts";
import type { Invitation } from "#lib/invitations/schema.ts";
import {
  type InvitationStatus,
  invitationStatuses,
  invitationStatusLabels,
  roleLabels,
} from "#lib/vocabulary.ts";
import { InviteUser } from "./invite-user.tsx";
import { invitationFilters, invitationParams } from "./list-params.ts";
import { RevokeInvitation } from "./revoke-invitation.tsx";

const looks = {
  open: { tone: "info", icon: Hourglass },
  accepted: { tone: "ok", icon: CircleCheck },
  expired: { tone: "idle", icon: TimerOff },
  revoked: { tone: "idle", icon: CircleX },
} satisfies Record<InvitationStatus, PillLook>;

const useStatusOptions: OptionSource = fixedOptions(
  invitationStatuses.map((status) => ({ value: status, label: invitationStatusLabels[status] })),
);

const helper = listColumnHelper<Invitation>();

const columns = [
  helper.display({
    id: "email",
    header: "E-mail",
    meta: { phone: "lead", className: "truncate" },
    cell: ({ row: { original: invitation } }) => (
      <RowLink href={withQuery("/audit", { object_kind: "invitation", object_id: invitation.id })}>
        {invitation.email}
      </RowLink>
    ),
  }),
  helper.display({
    id: "role",
    header: "Role",
    meta: { phone: "second", className: "sm:w-[22%] truncate" },
    cell: ({ row: { original: invitation } }) => (
      <span className="text-ink-2" title={invitation.affiliate?.name}>
        {roleLabels[invitation.role]}
        {invitation.affiliate ? ` ${invitation.affiliate.name}` : ""}
      </span>
    ),
  }),
  helper.display({
    id: "expires",
    header: "Expires",
    meta: { phone: "hidden", className: "sm:w-44 sm:max-lg:hidden" },
    cell: ({ row: { original: invitation } }) => <Expiry iso={invitation.expires_at} />,
  }),
  helper.display({
    id: "created",
    header: "Invited",
    meta: { phone: "hidden", className: "sm:w-28 sm:max-md:hidden", sorted: "descending" },
    cell: ({ row: { original: invitation } }) => (
      <span title={`By ${invitation.created_by}`}>
        <RelativeTime iso={invitation.created_at} className="text-ink-2" />
      </span>
    ),
  }),
  helper.display({
    id: "status",
    header: "Status",
    meta: { phone: "lead-end", className: "sm:w-28" },
    cell: ({ row: { original: invitation } }) => (
      <Pill {...looks[invitation.status]}>{invitationStatusLabels[invitation.status]}</Pill>
    ),
  }),
  helper.display({
    id: "revoke",
    header: () => <span className="sr-only">Revoke</span>,
    meta: { phone: "second-end", className: "sm:w-24" },
    cell: ({ row: { original: invitation } }) =>
      invitation.status === "open" ? <RevokeInvitation invitation={invitation} /> : null,
  }),
];

export function InvitationList() {
  const [params, setParams] = useQueryStates(invitationParams, { history: "push" });
  const query = useQuery({
    ...invitationListOptions(invitationFilters(params)),
    refetchInterval: useLiveInterval(),
    placeholderData: keepPreviousData,
  });
  const { q, status } = params;
  const filters = [
    { name: "E-mail", value: q },
    { name: "Status", value: status && invitationStatusLabels[status] },
  ].filter((filter): filter is ActiveFilter => Boolean(filter.value));
  const search = useCallback(
    (text: string | null) => void setParams({ q: text, cursor: null }, { history: "replace" }),
    [setParams],
  );
  const clear = () => void setParams({ q: null, status: null, cursor: null });
  return (
    <>
      <FilterBar active={filters.length} onClear={clear}>
        <TextFilter label="E-mail" placeholder="E-mail" value={q} onChange={search} />
        <FilterChip
          name="Status"
          value={status && { value: status, label: invitationStatusLabels[status] }}
          onChange={(value) => void setParams({ status: value as typeof status, cursor: null })}
          useOptions={useStatusOptions}
        />
      </FilterBar>
      <ListView
        caption="Invitations, newest first"
        noun="invitations"
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        filters={filters}
        onClearFilters={clear}
        cursor={params.cursor}
        onCursor={(cursor) => void setParams({ cursor })}
        empty={
          <EmptyState icon={MailPlus} title="No invitations yet" action={<InviteUser tone="plain" />}>
            <p>
              An invitation is a link for one person. Whoever opens it chooses a name and a password, and is
              let in with the role that the invitation gives.
            </p>
          </EmptyState>
        }
      />
    </>
  );
}
