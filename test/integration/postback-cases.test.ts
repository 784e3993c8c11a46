import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { setUpApi } from "#test/helpers/api.ts";
import {
  type PostbackCase,
  previewOf,
  previewRequest,
  readPostbackCases,
} from "#test/helpers/postback-cases.ts";
import { POST } from "../../app/api/v1/templates/preview/route.ts";

const api = setUpApi();
const own = path.resolve(import.meta.dirname, "../fixtures/postback-render.json");
const beside = path.resolve(import.meta.dirname, "../../../shared/cases/postback-render.json");

async function expectCase(given: PostbackCase): Promise<void> {
  const { status, body } = await api.call(POST, { body: previewRequest(given) });
  const preview = previewOf(given);
  if (preview !== null) return expect({ status, body }).toEqual({ status: 200, body: preview });
  expect({ status, body }).toMatchObject({ status: 422, body: { code: given.refuse } });
  if (given.suggests !== undefined) expect(body.suggestion).toContain(given.suggests);
  const part = expect.stringMatching(/^(template|body)$/);
  expect(body.errors).toEqual(
    body.errors.map(() => expect.objectContaining({ field: part, code: given.refuse })),
  );
}

describe("the preview answers every case as it is sent", () => {
  test.each(readPostbackCases(own))("$name", expectCase);
});

describe.skipIf(!existsSync(beside))("and those beside the project", () => {
  test.each(existsSync(beside) ? readPostbackCases(beside) : [])("$name", expectCase);
});
