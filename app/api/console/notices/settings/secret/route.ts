import { z } from "zod";
import { route } from "#lib/api/route.ts";
import { replaceNoticeSecret } from "#lib/notices/service.ts";

export const POST = route({
  auth: "session",
  may: null,
  optionalBody: z.strictObject({}),
  handler: ({ actor }) => replaceNoticeSecret(actor),
});
