import { isUtf8 } from "node:buffer";
import { fieldErrors, invalidInput } from "#lib/api/issues.ts";
import { type FieldError, invalidField, Problem } from "#lib/errors.ts";
import type { PublishItem } from "#lib/queue/publish.ts";
import {
  byte,
  type JsonCursor,
  type JsonSpan,
  MalformedJson,
  peek,
  take,
  takeIf,
  takeName,
  takeValue,
} from "./json-scan.ts";
import { eventEnvelope, maxDataDepth, maxEventBytes, maxEventsPerRequest } from "./schema.ts";

/** What a publishing request asks for: one event or an array of them, each fit to be accepted or refused alone. */
export type PublishRequest = { isArray: boolean; items: (PublishItem | Problem)[] };

/** More members than an event can have; those beyond are checked as JSON, but not kept. */
const maxMembersKept = 16;

type Member = { name: string; value: JsonSpan };
type RawEvent = { start: number; end: number; members: Member[]; isObject: boolean };

/**
 * Reads the body of a publishing request. Each item's `data` is the very bytes that came. Throws a problem for
 * what concerns the whole request (not UTF-8, not JSON, an array too long); faults of one item are in its place.
 */
export function parsePublish(body: Buffer): PublishRequest {
  if (!isUtf8(body)) throw new Problem("invalid_utf8", "The body must be UTF-8");
  try {
    const cursor: JsonCursor = { bytes: body, at: 0 };
    const isArray = peek(cursor) === byte.openBracket;
    const events = isArray ? takeArray(cursor) : [takeEvent(cursor)];
    if (peek(cursor) !== undefined) throw new MalformedJson(cursor.at);
    return { isArray, items: events.map((event) => toItem(body, event)) };
  } catch (error) {
    if (error instanceof MalformedJson)
      throw new Problem("malformed_json", `The body is not JSON: ${error.message}`);
    throw error;
  }
}

function takeArray(cursor: JsonCursor): RawEvent[] {
  const events: RawEvent[] = [];
  take(cursor, byte.openBracket);
  if (takeIf(cursor, byte.closeBracket)) throw invalidField("body", "must hold at least one event");
  do {
    if (events.length === maxEventsPerRequest) {
      throw invalidField("body", `must hold at most ${maxEventsPerRequest.toLocaleString("en")} events`);
    }
    events.push(takeEvent(cursor));
  } while (takeIf(cursor, byte.comma));
  take(cursor, byte.closeBracket);
  return events;
}

function takeEvent(cursor: JsonCursor): RawEvent {
  if (peek(cursor) !== byte.openBrace) return { ...takeValue(cursor), members: [], isObject: false };
  const start = cursor.at;
  const members: Member[] = [];
  take(cursor, byte.openBrace);
  if (!takeIf(cursor, byte.closeBrace)) {
    do {
      const [nameStart, nameEnd] = takeName(cursor, { hasNul: false, hasLoneSurrogate: false });
      const value = takeValue(cursor);
      if (members.length <= maxMembersKept) {
        members.push({
          name: JSON.parse(cursor.bytes.toString("utf8", nameStart, nameEnd)) as string,
          value,
        });
      }
    } while (takeIf(cursor, byte.comma));
    take(cursor, byte.closeBrace);
  }
  return { start, end: cursor.at, members, isObject: true };
}

function toItem(body: Buffer, event: RawEvent): PublishItem | Problem {
  if (!event.isObject) return invalidField("body", "must be an object: an event");
  if (event.end - event.start > maxEventBytes) {
    return new Problem(
      "too_large",
      `An event may have at most ${maxEventBytes} bytes, its envelope included`,
    );
  }
  const twice = event.members.find(
    (member, place) => event.members.findIndex((m) => m.name === member.name) < place,
  );
  if (twice) return invalidField(twice.name, "is given more than once");
  if (event.members.length > maxMembersKept)
    return invalidField("body", `must have at most ${maxMembersKept} fields`);

  const data = event.members.find((member) => member.name === "data")?.value;
  const envelope = eventEnvelope.safeParse(
    Object.fromEntries(
      event.members
        .filter((member) => member.name !== "data")
        .map((member) => [member.name, smallValue(body, member.value)]),
    ),
  );
  const errors = [
    ...(envelope.success ? [] : fieldErrors(envelope.error, "body")),
    ...dataErrors(body, data),
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

/** A scalar's value. No field but `data` may be a container, so that an empty one is enough to refuse it. */
function smallValue(body: Buffer, span: JsonSpan): unknown {
  if (span.depth > 0) return body[span.start] === byte.openBrace ? {} : [];
  return JSON.parse(body.toString("utf8", span.start, span.end));
}

function dataErrors(body: Buffer, data: JsonSpan | undefined): FieldError[] {
  const message = dataFault(body, data);
  return message ? [{ field: "data", message }] : [];
}

function dataFault(body: Buffer, data: JsonSpan | undefined): string | null {
  if (!data) return "is required: an object";
  if (body[data.start] !== byte.openBrace) return "must be an object";
  if (data.depth > maxDataDepth) return `must be at most ${maxDataDepth} levels deep`;
  if (data.hasNul) return "must not contain the character NUL (\\u0000)";
  if (data.hasLoneSurrogate) return "must not contain half a surrogate pair (such as \\ud800 alone)";
  return null;
}
