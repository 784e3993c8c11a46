import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Problem } from "#lib/errors.ts";
import { parsePublish } from "#lib/events/parse-publish.ts";
import { json, space, stringText } from "#test/helpers/json-text.ts";

/** Data that can be delivered: an object without the characters that are refused. */
const data = fc
  .tuple(space, fc.array(fc.tuple(stringText, space, json), { maxLength: 4 }), space)
  .map(
    ([before, members, after]) =>
      `{${before}${members.map(([name, gap, value]) => `${name}${gap}:${value}`).join(",")}${after}}`,
  )
  .filter((text) => !/\\u0000|\\u[dD][89a-fA-F]/.test(text));

const envelope = fc.record(
  {
    id: fc.stringMatching(/^[A-Za-z0-9_-]{1,128}$/),
    type: fc.constantFrom("ftd", "conversion.approved"),
    affiliate: fc.stringMatching(/^[A-Za-z0-9_:-]{1,128}$/),
    occurred_at: fc
      .date({ min: new Date(0), max: new Date("9999-01-01"), noInvalidDate: true })
      .map((at) => at.toISOString()),
    ordering_key: fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 50 })
      .filter((text) => text.isWellFormed() && !text.includes("\0")),
  },
  { requiredKeys: ["type", "affiliate"] },
);

/** An event as text, its members in any order with any white space. */
const event = fc
  .tuple(envelope, data, fc.array(space, { minLength: 24, maxLength: 24 }), fc.nat())
  .map(([fields, dataText, gaps, turn]) => {
    const members = [
      ...Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)]),
      ["data", dataText],
    ];
    const turned = [...members.slice(turn % members.length), ...members.slice(0, turn % members.length)];
    const text = turned
      .map(
        ([name, value], place) =>
          `${gaps[place * 4]}"${name}"${gaps[place * 4 + 1]}:${gaps[place * 4 + 2]}${value}${gaps[place * 4 + 3]}`,
      )
      .join(",");
    return { text: `{${text}}`, fields, dataText };
  });

describe("reading what is published", () => {
  test("data is kept byte for byte, alone and in an array", () => {
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 1, maxLength: 4 }),
        space,
        fc.boolean(),
        (events, gap, isArray) => {
          const sent = isArray ? events : events.slice(0, 1);
          const texts = sent.map(({ text }) => `${gap}${text}${gap}`);
          const request = parsePublish(Buffer.from(isArray ? `[${texts.join(",")}]` : (texts[0] as string)));
          expect(request.isArray).toBe(isArray);
          expect(request.items).toHaveLength(sent.length);
          for (const [place, item] of request.items.entries()) {
            const { fields, dataText } = sent[place] as (typeof sent)[number];
            if (item instanceof Problem) throw item;
            expect(item.data.equals(Buffer.from(dataText))).toBe(true);
            expect(JSON.parse(item.data.toString())).toEqual(JSON.parse(dataText));
            expect(item).toMatchObject({
              id: fields.id ?? null,
              type: fields.type,
              affiliate: fields.affiliate,
              occurredAt: fields.occurred_at ?? null,
              orderingKey: fields.ordering_key ?? null,
            });
          }
        },
      ),
    );
  });

  test("whatever the bytes, it answers with items or a problem", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 200 }).map(Buffer.from),
          json.map((text) => Buffer.from(text)),
        ),
        (bytes) => {
          try {
            const { items } = parsePublish(bytes);
            expect(items.every((item) => item instanceof Problem)).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(Problem);
          }
        },
      ),
    );
  });
});
