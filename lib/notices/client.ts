import { mutationOptions, queryOptions } from "@tanstack/react-query";
import { callApi } from "#lib/api/fetcher.ts";
import type { Page } from "#lib/api/paging.ts";
import type {
  Notice,
  NoticeSecret,
  NoticeSettings,
  NoticeSettingsEdit,
  NoticeSettingsSaved,
} from "./schema.ts";

const path = "/api/console/notices";

/** One page of notices, latest first. */
export function noticeListOptions(filters: { cursor?: string }) {
  return queryOptions({
    queryKey: ["notices", "list", filters] as const,
    queryFn: ({ signal }) => callApi<Page<Notice>>(path, { query: { ...filters }, signal }),
  });
}

export function noticeSettingsOptions() {
  return queryOptions({
    queryKey: ["notices", "settings"] as const,
    queryFn: ({ signal }) => callApi<NoticeSettings>(`${path}/settings`, { signal }),
  });
}

/** The answer may carry a secret, so it is dropped as soon as the page lets go of it. */
export const editNoticeSettingsOptions = mutationOptions({
  mutationFn: (edit: NoticeSettingsEdit) =>
    callApi<NoticeSettingsSaved>(`${path}/settings`, { method: "PATCH", body: edit }),
  gcTime: 0,
  onSuccess: (_data, _edit, _result, { client }) => client.invalidateQueries({ queryKey: ["notices"] }),
});

export const replaceNoticeSecretOptions = mutationOptions({
  mutationFn: () => callApi<NoticeSecret>(`${path}/settings/secret`, { method: "POST" }),
  gcTime: 0,
});
