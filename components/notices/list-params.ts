import { createLoader, parseAsString } from "nuqs/server";

export const noticeParams = { cursor: parseAsString };
export const loadNoticeParams = createLoader(noticeParams);

export function noticeFilters(cursor: string | null): { cursor?: string } {
  return cursor === null ? {} : { cursor };
}
