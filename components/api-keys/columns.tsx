import { CircleCheck, CircleX, TimerOff } from "lucide-react";
import { listColumnHelper } from "#components/data-table/data-table.tsx";
import { RowLink } from "#components/data-table/row-link.tsx";
import { RelativeTime } from "#components/layout/time.tsx";
import { Pill, type PillLook } from "#components/ui/pill.tsx";
import { withQuery } from "#lib/api/fetcher.ts";
import type { ApiKey } from "#lib/api-keys/schema.ts";
import { type KeyStatus, keyPurposeLabels, keyStatusLabels } from "#lib/vocabulary.ts";
import { Expiry } from "./expiry.tsx";
import { RevokeAction } from "./revoke-action.tsx";

const looks = {
  active: { tone: "ok", icon: CircleCheck },
  expired: { tone: "idle", icon: TimerOff },
  revoked: { tone: "idle", icon: CircleX },
} satisfies Record<KeyStatus, PillLook>;

const helper = listColumnHelper<ApiKey>();

export const apiKeyColumns = [
  helper.display({
    id: "name",
    header: "Name",
    meta: { phone: "lead", className: "truncate" },
    cell: ({ row: { original: apiKey } }) => (
      <RowLink href={withQuery("/audit", { object_kind: "api_key", object_id: apiKey.id })}>
        {apiKey.name}
      </RowLink>
    ),
  }),
  helper.display({
    id: "purpose",
    header: "Purpose",
    meta: { phone: "second", className: "sm:w-[18%] truncate" },
    cell: ({ row: { original: apiKey } }) => (
      <span className="text-ink-2" title={apiKey.affiliate?.name}>
        {keyPurposeLabels[apiKey.purpose]}
        {apiKey.affiliate ? `, only of ${apiKey.affiliate.name}` : ""}
      </span>
    ),
  }),
  helper.display({
    id: "prefix",
    header: "Begins with",
    meta: { phone: "hidden", className: "sm:w-28 sm:max-lg:hidden" },
    cell: ({ row: { original: apiKey } }) => <code className="font-mono text-xs">{apiKey.prefix}…</code>,
  }),
  helper.display({
    id: "used",
    header: "Last used",
    meta: { phone: "hidden", className: "sm:w-28" },
    cell: ({ row: { original: apiKey } }) => (
      <span className="text-ink-2">
        {apiKey.last_used_at ? <RelativeTime iso={apiKey.last_used_at} /> : "Never"}
      </span>
    ),
  }),
  helper.display({
    id: "expires",
    header: "Expires",
    meta: { phone: "hidden", className: "sm:w-36 sm:max-lg:hidden" },
    cell: ({ row: { original: apiKey } }) => <Expiry iso={apiKey.expires_at} />,
  }),
  helper.display({
    id: "created",
    header: "Created",
    meta: { phone: "hidden", className: "sm:w-28 sm:max-md:hidden", sorted: "descending" },
    cell: ({ row: { original: apiKey } }) => (
      <span title={`By ${apiKey.created_by}`}>
        <RelativeTime iso={apiKey.created_at} className="text-ink-2" />
      </span>
    ),
  }),
  helper.display({
    id: "status",
    header: "Status",
    meta: { phone: "lead-end", className: "sm:w-28" },
    cell: ({ row: { original: apiKey } }) => (
      <Pill {...looks[apiKey.status]}>{keyStatusLabels[apiKey.status]}</Pill>
    ),
  }),
  helper.display({
    id: "revoke",
    header: () => <span className="sr-only">Revoke</span>,
    meta: { phone: "second-end", className: "sm:w-24" },
    cell: ({ row: { original: apiKey } }) =>
      apiKey.status === "active" ? <RevokeAction apiKey={apiKey} /> : null,
  }),
];
