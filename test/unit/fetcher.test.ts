import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError, callApi, errorWords, withQuery } from "#lib/api/fetcher.ts";

afterEach(() => vi.unstubAllGlobals());

const answer = (body: string, init: ResponseInit) =>
  vi.stubGlobal("fetch", async () => new Response(body, init));
const failure = () => callApi("/api/console/overview").catch((error: unknown) => error as ApiError);

describe("callApi", () => {
  it("gives the JSON, and nothing for 204", async () => {
    answer('{"a":1}', { status: 200 });
    expect(await callApi("/x")).toEqual({ a: 1 });
    vi.stubGlobal("fetch", async () => new Response(null, { status: 204 }));
    expect(await callApi("/x", { method: "DELETE" })).toBeUndefined();
  });

  it("reads a problem document", async () => {
    answer(
      JSON.stringify({
        title: "Not valid",
        detail: "url",
        errors: [{ field: "url", message: "is bad" }],
        request_id: "r1",
      }),
      { status: 422 },
    );
    expect(await failure()).toMatchObject({
      status: 422,
      title: "Not valid",
      fieldErrors: [{ field: "url", message: "is bad" }],
      requestId: "r1",
    });
  });

  it("makes do without one", async () => {
    answer("<html>", { status: 502, headers: { "x-request-id": "r2" } });
    expect(await failure()).toMatchObject({ status: 502, requestId: "r2", fieldErrors: [] });
    answer('{"errors":[null,{"field":1}],"title":7}', { status: 500 });
    expect(await failure()).toMatchObject({ status: 500, fieldErrors: [] });
    answer("not json", { status: 200 });
    expect(await failure()).toMatchObject({ title: "The answer could not be read" });
  });

  it("says when nothing answers", async () => {
    vi.stubGlobal("fetch", async () => {
      throw new TypeError("fetch failed");
    });
    const error = await failure();
    expect(error).toBeInstanceOf(ApiError);
    expect(errorWords(error as ApiError)).toMatch(/^Posthorn cannot be reached\./);
  });
});

it("leaves empty values out of a query", () => {
  expect(withQuery("/a", { state: null, q: "", endpoint: "1 2", limit: 10 })).toBe(
    "/a?endpoint=1+2&limit=10",
  );
  expect(withQuery("/a", {})).toBe("/a");
});
