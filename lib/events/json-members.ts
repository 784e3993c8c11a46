import { isUtf8 } from "node:buffer";
import { type FieldError, Problem } from "#lib/errors.ts";
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
import { maxDataDepth } from "./schema.ts";

/** More members than a request's objects can have; those beyond are checked as JSON, but not kept. */
const maxMembersKept = 16;

/** A value of the request, and where its members lie in the bytes; none unless it is an object. */
export type TakenObject = {
  start: number;
  end: number;
  isObject: boolean;
  members: { name: string; value: JsonSpan }[];
};

/** What `read` takes of a whole body. Throws a problem where the body is not UTF-8, not JSON or goes on. */
export function readJson<T>(body: Buffer, read: (cursor: JsonCursor) => T): T {
  if (!isUtf8(body)) throw new Problem("invalid_utf8", "The body must be UTF-8");
  try {
    const cursor: JsonCursor = { bytes: body, at: 0 };
    const result = read(cursor);
    if (peek(cursor) !== undefined) throw new MalformedJson(cursor.at);
    return result;
  } catch (error) {
    if (error instanceof MalformedJson)
      throw new Problem("malformed_json", `The body is not JSON: ${error.message}`);
    throw error;
  }
}

/** Takes one value of any kind; of an object also the names and places of its members. */
export function takeObject(cursor: JsonCursor): TakenObject {
  if (peek(cursor) !== byte.openBrace) return { ...takeValue(cursor), members: [], isObject: false };
  const start = cursor.at;
  const members: TakenObject["members"] = [];
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

/** A member that is given twice, or too many of them (`field` null). */
export function memberFault({ members }: TakenObject): { field: string | null; message: string } | null {
  const twice = members.find((member, place) => members.findIndex((m) => m.name === member.name) < place);
  if (twice) return { field: twice.name, message: "is given more than once" };
  if (members.length <= maxMembersKept) return null;
  return { field: null, message: `must have at most ${maxMembersKept} fields` };
}

/** The values of the members, without those of the names in `except`; of an object or array only which of both it is. */
export function smallValues(
  body: Buffer,
  { members }: TakenObject,
  { except }: { except: readonly string[] },
): Record<string, unknown> {
  return Object.fromEntries(
    members
      .filter(({ name }) => !except.includes(name))
      .map(({ name, value }) => [name, smallValue(body, value)]),
  );
}

/** No field but those that are read apart may be a container, so that an empty one is enough to refuse it. */
function smallValue(body: Buffer, span: JsonSpan): unknown {
  if (span.depth > 0) return body[span.start] === byte.openBrace ? {} : [];
  return JSON.parse(body.toString("utf8", span.start, span.end));
}

/** What keeps an event's data from being delivered as they are; `field` is what they are called. */
export function dataErrors(
  body: Buffer,
  { data, field }: { data: JsonSpan | undefined; field: string },
): FieldError[] {
  const message = dataFault(body, data);
  return message ? [{ field, message }] : [];
}

function dataFault(body: Buffer, data: JsonSpan | undefined): string | null {
  if (!data) return "is required: an object";
  if (body[data.start] !== byte.openBrace) return "must be an object";
  if (data.depth > maxDataDepth) return `must be at most ${maxDataDepth} levels deep`;
  if (data.hasNul) return "must not contain the character NUL (\\u0000)";
  if (data.hasLoneSurrogate) return "must not contain half a surrogate pair (such as \\ud800 alone)";
  return null;
}
