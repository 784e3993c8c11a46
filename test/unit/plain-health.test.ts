import { describe, expect, it, test } from "vitest";
import { ownerReasonWords, staffReasonWords, toOwner } from "#lib/endpoints/owner-words.ts";
import { type PlainHealth, plainHealth, plainSummary } from "#lib/endpoints/plain-health.ts";
import type { Endpoint } from "#lib/endpoints/schema.ts";
import { reasons } from "#lib/vocabulary.ts";

// A Monday.
const nowMs = Date.parse("2026-11-30T14:00:00.000Z");
const at = (offsetMs: number) => new Date(nowMs + offsetMs).toISOString();
const hour = 3_600_000;

const calmHealth: Endpoint["health"] = {
  in_flight: 0,
  consecutive_failures: 0,
  last_success_at: at(-60_000),
  last_failure_at: null,
  last_failure_reason: null,
  last_failure_status: null,
  failing_since: null,
  failing_attempts: 0,
  latency: null,
};
const closed = {
  state: "closed",
  changed_at: null,
  next_probe_at: null,
  cooldown_seconds: 300,
  held_by: null,
  ramp: null,
} as Endpoint["breaker"];
const calm = {
  status: "active" as const,
  status_changed_at: at(-2 * hour),
  status_changed_by: "Ana",
  resume_bar: null,
  health: calmHealth,
  breaker: closed,
};
const failing = (change: Partial<Endpoint["health"]>) => ({
  health: {
    ...calmHealth,
    consecutive_failures: 3,
    failing_attempts: 3,
    failing_since: at(-6 * 24 * hour),
    last_failure_at: at(-60_000),
    ...change,
  },
});
const slowLatency = { p50_ms: 900, p95_ms: 3_200, p99_ms: 5_000, samples: 40, at: at(0) };

type Change = Partial<Omit<typeof calm, "status" | "resume_bar">> & {
  status?: Endpoint["status"];
  resume_bar?: Endpoint["resume_bar"];
};
const healthOf = (change: Change) => plainHealth({ ...calm, ...change }, nowMs, "UTC");

describe("how an endpoint does, as its owner is told", () => {
  test.each<[string, Change, Partial<PlainHealth>]>([
    ["well", {}, { sentence: "Everything arrives.", fix: null, needsOwner: false }],
    [
      "not used yet",
      { health: { ...calmHealth, last_success_at: null } },
      { sentence: "Nothing has been sent here yet.", needsOwner: false },
    ],
    [
      "turned away with a status",
      failing({ last_failure_reason: "unauthorized", last_failure_status: 401 }),
      {
        sentence: "Nothing has arrived since Tuesday 14:00.",
        fix: "Your server refused our credentials (it answered 401). Has the token changed?",
        next: "What was refused is not tried again by itself: resend it once this is fixed.",
        needsOwner: true,
      },
    ],
    [
      "no connection, since today",
      failing({ last_failure_reason: "connection_refused", failing_since: at(-2 * hour) }),
      {
        sentence: "Nothing has arrived since 12:00.",
        fix: "Your server refused the connection. Is your server running, and listening on the port of the URL?",
        next: "It is tried again by itself.",
      },
    ],
    [
      "an answer that a response rule refuses",
      failing({ last_failure_reason: "rejected_by_response", last_failure_status: 200 }),
      {
        next: "It is tried again by itself if that response rule says so: else resend it once this is fixed.",
      },
    ],
    [
      "a refused payload",
      failing({ last_failure_reason: "payload_refused", last_failure_status: 422 }),
      { next: "What was refused is not tried again by itself: resend it once this is fixed." },
    ],
    [
      "nothing that could be sent",
      failing({ last_failure_reason: "secret_missing" }),
      { next: "What was refused is not tried again by itself: resend it once this is fixed." },
    ],
    [
      "an answer that was cut off in time",
      failing({ last_failure_reason: "timeout", last_failure_status: 200 }),
      {
        fix: "Your server did not answer completely in time. Answer first and do the work afterwards, or raise the timeout of this endpoint.",
      },
    ],
    [
      "a failure of which no more is known",
      failing({ failing_since: null }),
      { sentence: "The latest did not arrive.", fix: null, needsOwner: true },
    ],
    [
      "breaker open",
      {
        ...failing({ last_failure_reason: "server_error", last_failure_status: 503 }),
        breaker: { ...closed, state: "open", changed_at: at(-hour), next_probe_at: at(40_000) },
      },
      {
        condition: "breaker_open",
        sentence: "Nothing has arrived since Tuesday 14:00.",
        next: "What comes meanwhile is kept. We try one again in 40 s.",
      },
    ],
    [
      "breaker open, after what is not retried",
      {
        ...failing({ last_failure_reason: "unauthorized", last_failure_status: 401 }),
        breaker: { ...closed, state: "open", changed_at: at(-hour), next_probe_at: at(40_000) },
      },
      {
        next: "What was refused is not tried again by itself: resend it once this is fixed. What comes meanwhile is kept. We try one again in 40 s.",
      },
    ],
    [
      "breaker open and due",
      { breaker: { ...closed, state: "open", next_probe_at: at(-1) } },
      { next: "What comes meanwhile is kept. One is being tried now." },
    ],
    [
      "held by staff",
      { breaker: { ...closed, state: "open", held_by: "Olga" } },
      { sentence: "Nothing is sent for now: Posthorn's operators hold it back." },
    ],
    [
      "slow",
      { health: { ...calmHealth, latency: { ...slowLatency, slow: true, slowing: false } } },
      {
        sentence: "Everything arrives, but your server is slow to answer.",
        fix: "95 of 100 answers come within 3.20 s, the others later. Answer first, and do the work afterwards.",
        needsOwner: true,
      },
    ],
    [
      "slowing",
      { health: { ...calmHealth, latency: { ...slowLatency, slow: false, slowing: true } } },
      { sentence: "Everything arrives, but your server takes much longer than it did." },
    ],
    [
      "paused by themselves",
      { status: "paused" },
      {
        sentence: "Nothing is sent: Ana paused it, 12:00.",
        fix: "Resume it when your server is ready.",
      },
    ],
    [
      "paused by staff",
      { status: "paused", resume_bar: "staff_paused" },
      { sentence: "Posthorn's operators have paused it since 12:00." },
    ],
    [
      "gone",
      { status: "disabled", ...failing({ last_failure_reason: "gone", last_failure_status: 410 }) },
      {
        sentence: "It has been switched off since 12:00, as nothing arrived any more.",
        fix: "Your server says that this URL is gone for good (it answered 410). Give the endpoint its new URL, then resume it.",
      },
    ],
  ])("%s", (_, change, expected) => {
    expect(healthOf(change)).toMatchObject(expected);
  });

  it("says nothing technical first, whatever the cause", () => {
    for (const reason of reasons) {
      const { sentence, fix } = healthOf(failing({ last_failure_reason: reason, last_failure_status: 500 }));
      expect(sentence).not.toMatch(/\b(HTTP|TLS|URL|DNS|P95|breaker|status)\b|\d{3}/i);
      expect(fix).toMatch(/\.$|\?$/);
    }
  });
});

describe("all of them together", () => {
  const well = healthOf({});
  const broken = healthOf(failing({ last_failure_reason: "timeout" }));
  const slow = healthOf({
    health: { ...calmHealth, latency: { ...slowLatency, slow: true, slowing: false } },
  });
  const unused = healthOf({ health: { ...calmHealth, last_success_at: null } });
  test.each<[PlainHealth[], string]>([
    [[], "There is nowhere to send to yet"],
    [[unused], "Nothing has been sent yet"],
    [[well, unused], "Everything is arriving"],
    [[well, slow], "Everything is arriving, but slowly"],
    [[slow, broken], "Not everything is arriving"],
    [[broken, well], "Not everything is arriving"],
    [[broken, unused], "Not everything is arriving"],
    [[broken, broken], "Nothing is arriving"],
  ])("%#", (healths, expected) => {
    expect(plainSummary(healths)).toBe(expected);
  });
});

describe("words for the owner of the server", () => {
  it("speaks to them, and never of them", () => {
    for (const reason of reasons) {
      const text = `${ownerReasonWords.sentence(reason)}. ${ownerReasonWords.remedy(reason)}`;
      expect(text).not.toMatch(/\b[Tt]heirs?\b|\bAsk (them|whether)\b/);
    }
    expect(staffReasonWords.sentence("timeout")).toMatch(/^Their server/);
  });

  it("changes every their, and nothing else", () => {
    expect(toOwner("Their server has their token; others keep theirs")).toBe(
      "Your server has your token; others keep theirs",
    );
  });
});
