import type { Actor } from "#lib/auth/actor.ts";
import { isStaff } from "#lib/auth/permissions.ts";
import type { Attempt, DeliveryDetail } from "#lib/deliveries/schema.ts";
import type { EndpointTest } from "#lib/endpoint-tests/schema.ts";
import type { Event, EventDetail } from "#lib/events/schema.ts";
import { createMasker, fullMask, type Masker } from "./mask.ts";

/**
 * The masker for what this actor may see of the event; null when that is everything, as it is for a machine with a key
 * and for the affiliate whose event it is.
 */
export function maskerFor(actor: Actor, event: Parameters<typeof createMasker>[0]): Masker | null {
  return isStaff(actor) ? createMasker(event) : null;
}

/** `detail` with its sensitive values masked; `masked` says whether there were any. */
export function maskEvent(detail: EventDetail, masker: Masker): EventDetail {
  const { data_text, ordering_key } = detail;
  const shown = {
    data_text: data_text && masker.data(data_text),
    ordering_key: ordering_key && masker.text(ordering_key),
  };
  const masked = shown.data_text !== data_text || shown.ordering_key !== ordering_key;
  return { ...detail, ...shown, masked };
}

/** As in a list, whose events' data nobody reads: a key is often a conversion's id. */
export function maskListedEvent(event: Event): Event {
  return { ...event, ordering_key: event.ordering_key && fullMask };
}

/** `request`: as it is with the data masked already, where it is made of them. */
export function maskDelivery(
  detail: DeliveryDetail,
  { masker, request }: { masker: Masker; request: DeliveryDetail["request"] },
): DeliveryDetail {
  const shown = {
    request: request && {
      ...request,
      url: masker.url(request.url),
      body: request.body && masker.text(request.body),
    },
    attempts: detail.attempts.map((attempt) => maskAttempt(attempt, masker)),
  };
  const { request: whole, attempts } = detail;
  return {
    ...detail,
    ...shown,
    masked: JSON.stringify(shown) !== JSON.stringify({ request: whole, attempts }),
  };
}

/** A test with an event of somebody's, which holds its values as a delivery would. */
export function maskTest(test: EndpointTest, masker: Masker): EndpointTest {
  const { request, response } = test;
  return {
    ...test,
    request: request && {
      ...request,
      url: masker.url(request.url),
      body: request.body && masker.text(request.body),
    },
    response: response && {
      ...response,
      headers: response.headers.map(([name, value]) => [name, masker.text(value)]),
      body: masker.text(response.body),
    },
  };
}

function maskAttempt(attempt: Attempt, masker: Masker): Attempt {
  const { request_url, response_headers, response_body, redirect_to } = attempt;
  return {
    ...attempt,
    request_url: request_url && masker.url(request_url),
    response_headers: response_headers?.map(([name, value]) => [name, masker.text(value)]) ?? null,
    response_body: response_body && masker.text(response_body),
    redirect_to: redirect_to && masker.url(redirect_to),
  };
}
