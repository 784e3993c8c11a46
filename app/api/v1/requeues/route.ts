import { route } from "#lib/api/route.ts";
import { maxRequeueBytes, requeueCreate, requeueListQuery } from "#lib/requeues/schema.ts";
import { createRequeue, listRequeues } from "#lib/requeues/service.ts";

export const GET = route({
  auth: "api_key",
  may: "requeue.read",
  query: requeueListQuery,
  handler: ({ actor, query }) => listRequeues(actor, query),
});

export const POST = route({
  auth: "api_key",
  may: "delivery.requeue",
  body: requeueCreate,
  maxBodyBytes: maxRequeueBytes,
  status: 201,
  handler: ({ actor, body }) => createRequeue(actor, body),
});
