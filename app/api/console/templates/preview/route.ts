import { route } from "#lib/api/route.ts";
import { maxPreviewBytes, parsePreview } from "#lib/templates/parse-preview.ts";
import { previewTemplate } from "#lib/templates/service.ts";

export const POST = route({
  auth: "session",
  may: "template.preview",
  body: parsePreview,
  maxBodyBytes: maxPreviewBytes,
  handler: ({ actor, body }) => previewTemplate(actor, body),
});
