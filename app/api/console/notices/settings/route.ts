import { route } from "#lib/api/route.ts";
import { noticeSettingsEdit } from "#lib/notices/schema.ts";
import { editNoticeSettings, getNoticeSettings } from "#lib/notices/service.ts";

export const GET = route({
  auth: "session",
  may: null,
  handler: ({ actor }) => getNoticeSettings(actor),
});

export const PATCH = route({
  auth: "session",
  may: null,
  body: noticeSettingsEdit,
  handler: ({ actor, body }) => editNoticeSettings(actor, body),
});
