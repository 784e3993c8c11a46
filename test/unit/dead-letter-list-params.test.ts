import { expect, test } from "vitest";
import {
  type DeadLetterParams,
  groupHref,
  groupRequeueFilter,
} from "#components/dead-letters/list-params.ts";

const noParams: DeadLetterParams = {
  q: null,
  endpoint: null,
  affiliate: null,
  reason: null,
  status: null,
  status_class: null,
  event_type: null,
  from: null,
  to: null,
  cursor: null,
};
const endpoint = { id: "e1", name: "Feed", status: "active" as const };
const refused = { endpoint, reason: "unauthorized" as const, status: 401 };
const narrowed: DeadLetterParams = {
  ...noParams,
  affiliate: "acme",
  event_type: "deposit",
  from: "2026-11-02T00:00:00Z",
  to: "2026-11-03T00:00:00Z",
  status_class: "4xx",
  cursor: "page-3",
};

test("a group's rows are those that it counted: within the list's filters, from the first page", () => {
  expect(Object.fromEntries(new URL(groupHref(refused, narrowed), "http://x").searchParams)).toEqual({
    affiliate: "acme",
    event_type: "deposit",
    from: "2026-11-02T00:00:00Z",
    to: "2026-11-03T00:00:00Z",
    endpoint: "e1",
    reason: "unauthorized",
    status: "401",
  });
  expect(groupHref({ ...refused, status: null }, { ...noParams, q: "ev-1" })).toBe(
    "/dead-letters?q=ev-1&endpoint=e1&reason=unauthorized&status_class=none",
  );
});

test("a group's requeue takes its letters and no others", () => {
  expect(groupRequeueFilter(refused, narrowed)).toEqual({
    endpoint: "e1",
    affiliate: "acme",
    event_type: "deposit",
    from: "2026-11-02T00:00:00Z",
    to: "2026-11-03T00:00:00Z",
    reasons: ["unauthorized"],
    status: 401,
  });
  expect(groupRequeueFilter({ ...refused, status: null }, noParams)).toEqual({
    endpoint: "e1",
    reasons: ["unauthorized"],
    status_class: "none",
  });
});

test("where no filter says so much, there is none", () => {
  expect(groupRequeueFilter({ ...refused, reason: null }, noParams)).toBeNull();
  expect(groupRequeueFilter(refused, { ...noParams, q: "ev-1" })).toBeNull();
});
