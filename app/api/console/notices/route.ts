import { route } from "#lib/api/route.ts";
import { noticeListQuery } from "#lib/notices/schema.ts";
import { listNotices } from "#lib/notices/service.ts";

export const GET = route({
  auth: "session",
  may: "alert.read",
  query: noticeListQuery,
  handler: ({ actor, query }) => listNotices(actor, query),
});
