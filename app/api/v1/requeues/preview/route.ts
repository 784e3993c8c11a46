import { route } from "#lib/api/route.ts";
import { maxRequeueBytes, requeuePreview } from "#lib/requeues/schema.ts";
import { previewRequeue } from "#lib/requeues/service.ts";

export const POST = route({
  auth: "api_key",
  may: "requeue.read",
  body: requeuePreview,
  maxBodyBytes: maxRequeueBytes,
  handler: ({ actor, body }) => previewRequeue(actor, body),
});
