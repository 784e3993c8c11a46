import type { APIRequestContext } from "@playwright/test";
import { expect, type World } from "./support.ts";
import type { Records } from "./web-routes.ts";

const authorization = `Bearer ${process.env.POSTHORN_E2E_API_KEY}`;

/** One record of every kind that a page or a route shows by its id. */
export async function makeRecords(request: APIRequestContext, world: World): Promise<Records> {
  // Deleted by the test that calls every route.
  const eventType = `policy_${world.key.replaceAll("-", "_")}`;
  const made = await request.post("/api/v1/event-types", {
    headers: { authorization },
    data: { name: eventType },
  });
  expect(made.status()).toBe(201);
  // Revoked by it.
  const key = await request.post("/api/v1/api-keys", {
    headers: { authorization },
    data: { name: `Policy of ${world.key}`, purpose: "publish" },
  });
  expect(key.status()).toBe(201);
  const endpoint = await world.createEndpoint({
    name: "Looked at by the policy",
    url: world.receiver.url(world.path("safe")),
  });
  const event = await world.publish('{"payout":"1.50"}');
  const delivery = await world.delivery(event, "delivered");
  const requeue = await request.post("/api/v1/requeues", {
    headers: { authorization },
    data: { filter: { ids: [delivery.id] }, reason: "Looked at by the policy" },
  });
  expect(requeue.status()).toBe(201);
  return {
    affiliate: world.key,
    apiKey: (await key.json()).id,
    delivery: delivery.id,
    endpoint: endpoint.id,
    event,
    eventType,
    requeue: (await requeue.json()).id,
  };
}
