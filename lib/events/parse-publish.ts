import { fieldErrors, invalidInput } from "#lib/api/issues.ts";
import { invalidField, Problem } from "#lib/errors.ts";
import type { PublishItem } from "#lib/queue/publish.ts";
import {
  dataErrors,
  memberFault,
  readJson,
  smallValues,
  type TakenObject,
  takeObject,
} from "./json-members.ts";
import { byte, type JsonCursor, peek, take, takeIf } from "./json-scan.ts";
import { eventEnvelope, maxEventBytes, maxEventsPerRequest } from "./schema.ts";

/** What a publishing request asks for: one event or an array of them, each fit to be accepted or refused alone. */
export type PublishRequest = { isArray: boolean; items: (PublishItem | Problem)[] };

/**
 * Reads the body of a publishing request. Each item's `data` is the very bytes that came. Throws a problem for
 * what concerns the whole request (not UTF-8, not JSON, an array too long); faults of one item are in its place.
 */
export function parsePublish(body: Buffer): PublishRequest {
  const { isArray, events } = readJson(body, (cursor) => {
    const isArray = peek(cursor) === byte.openBracket;
    return { isArray, events: isArray ? takeArray(cursor) : [takeObject(cursor)] };
  });
  return { isArray, items: events.map((event) => toItem(body, event)) };
}

function takeArray(cursor: JsonCursor): TakenObject[] {
  const events: TakenObject[] = [];
  take(cursor, byte.openBracket);
  if (takeIf(cursor, byte.closeBracket)) throw invalidField("body", "must hold at least one event");
  do {
    if (events.length === maxEventsPerRequest) {
      throw invalidField("body", `must hold at most ${maxEventsPerRequest.toLocaleString("en")} events`);
    }
    events.push(takeObject(cursor));
  } while (takeIf(cursor, byte.comma));
  take(cursor, byte.closeBracket);
  return events;
}

function toItem(body: Buffer, event: TakenObject): PublishItem | Problem {
  if (!event.isObject) return invalidField("body", "must be an object: an event");
  if (event.end - event.start > maxEventBytes) {
    return new Problem(
      "too_large",
      `An event may have at most ${maxEventBytes} bytes, its envelope included`,
    );
  }
  const fault = memberFault(event);
  if (fault) return invalidField(fault.field ?? "body", fault.message);

  const data = event.members.find((member) => member.name === "data")?.value;
  const envelope = eventEnvelope.safeParse(smallValues(body, event, { except: ["data"] }));
  const errors = [
    ...(envelope.success ? [] : fieldErrors(envelope.error, "body")),
    ...dataErrors(body, { data, field: "data" }),
  ];
  if (!envelope.success || !data || errors.length > 0) return invalidInput(errors);
  const { id, type, affiliate, occurred_at, ordering_key } = envelope.data;
  return {
    id: id ?? null,
    type,
    affiliate,
    occurredAt: occurred_at === undefined ? null : new Date(occurred_at).toISOString(),
    orderingKey: ordering_key ?? null,
    data: body.subarray(data.start, data.end),
  };
}
