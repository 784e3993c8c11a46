import { describe, expect, it } from "vitest";
import { attemptSentence, deliveryLabel, deliveryNext } from "#lib/deliveries/words.ts";
import type { Endpoint } from "#lib/endpoints/schema.ts";
import { rateWords, ruleWords } from "#lib/endpoints/setting-words.ts";
import {
  breakerSentence,
  endpointCause,
  endpointCauseShort,
  endpointCondition,
} from "#lib/endpoints/words.ts";
import { reasons } from "#lib/vocabulary.ts";

const nowMs = Date.parse("2026-11-30T14:00:00.000Z");
const at = (offsetMs: number) => new Date(nowMs + offsetMs).toISOString();

const delivery = {
  state: "pending" as const,
  held: false,
  attempt_number: 0,
  attempts_charged: 0,
  max_attempts: 5,
  next_attempt_at: at(-1_000),
  blocked: false,
  behind_breaker: false,
  delivered_at: null,
  ended_at: null,
  endpoint: { status: "active" as const },
};

describe("what a delivery waits for", () => {
  const next = (change: object, options?: Parameters<typeof deliveryNext>[2]) =>
    deliveryNext({ ...delivery, ...change }, nowMs, options);

  it("names the attempt to come and when", () => {
    const failed = { state: "failed", attempt_number: 7, attempts_charged: 2 };
    expect(next({ ...failed, next_attempt_at: at(130_000) })).toBe("3 of 5 · in 2 min 10 s");
    expect(next({ ...failed, next_attempt_at: at(300) })).toBe("3 of 5 · due now");
    expect(next({})).toBe("due now");
    expect(next({ state: "in_flight", attempt_number: 3 })).toBe("attempt 3");
  });

  it("says that it waits for the endpoint's breaker", () => {
    const waiting = { state: "failed", behind_breaker: true };
    expect(next({ ...waiting, next_attempt_at: at(40_000) })).toBe("behind an open breaker · in 40 s");
    expect(next({ ...waiting, next_attempt_at: null })).toBe("behind an open breaker");
    expect(next({ ...waiting, next_attempt_at: at(40_000) }, { told: "owner" })).toBe(
      "waits: your server has failed too often · in 40 s",
    );
  });

  it("says that it waits for an earlier one of its key", () => {
    expect(next({ blocked: true })).toBe("behind an earlier one of its ordering key");
    expect(next({ blocked: true }, { told: "owner" })).toBe("waits for an earlier event of the same key");
  });

  it("says who holds it, where that is known", () => {
    const held = { held: true, endpoint: { status: "paused" } };
    expect(deliveryLabel({ state: "failed", held: true, blocked: false })).toBe("Held");
    expect(next(held)).toBe("endpoint paused");
    expect(
      next(held, {
        holder: { status: "paused", status_changed_at: at(-2 * 3_600_000), status_changed_by: "Ana" },
      }),
    ).toBe("endpoint paused by Ana, 2 h ago");
    expect(next({ held: true, endpoint: { status: "disabled" } })).toBe("endpoint disabled");
  });

  it("says how it ended", () => {
    expect(next({ state: "delivered", attempt_number: 2, delivered_at: at(-180_000) })).toBe(
      "attempt 2 · 3 min ago",
    );
    expect(next({ state: "dead_letter", attempts_charged: 1, ended_at: at(-60_000) })).toBe(
      "after 1 attempt · 1 min ago",
    );
    expect(next({ state: "discarded", ended_at: at(-60_000) })).toBe("given up by decision · 1 min ago");
  });
});

describe("an endpoint's condition and cause", () => {
  const health: Endpoint["health"] = {
    in_flight: 0,
    consecutive_failures: 0,
    last_success_at: null,
    last_failure_at: null,
    last_failure_reason: null,
    last_failure_status: null,
    failing_since: null,
    failing_attempts: 0,
    latency: null,
  };
  const breaker: Endpoint["breaker"] = {
    state: "closed",
    changed_at: null,
    cooldown_seconds: 300,
    next_probe_at: null,
    held_by: null,
    ramp: null,
  };
  const endpoint = (change: Partial<Endpoint["health"]>, status: Endpoint["status"] = "active") => ({
    status,
    breaker,
    status_changed_at: at(-7_200_000),
    status_changed_by: "Ana",
    health: { ...health, ...change },
  });
  const failure = {
    last_failure_at: at(-180_000),
    last_failure_reason: "server_error",
    last_failure_status: 503,
  } as const;

  const failing = {
    ...failure,
    consecutive_failures: 10,
    failing_attempts: 12,
    failing_since: at(-7_200_000),
  };
  const refused = {
    ...failing,
    last_failure_reason: "connection_refused",
    last_failure_status: null,
  } as const;
  const latency = {
    p50_ms: 40,
    p95_ms: 812,
    p99_ms: 900,
    samples: 412,
    slow: false,
    slowing: false,
    at: at(0),
  };
  const open = (change: Partial<Endpoint["breaker"]>, of: Partial<Endpoint["health"]> = refused) => ({
    ...endpoint(of),
    breaker: { ...breaker, state: "open" as const, changed_at: at(-3_600_000), ...change },
  });
  const success = { last_success_at: at(-180_000) };

  const conditions: [string, Parameters<typeof endpointCondition>[0]][] = [
    ["unused", endpoint({})],
    ["healthy", endpoint({ ...success, ...failure })],
    ["slow", endpoint({ ...success, latency: { ...latency, slow: true, slowing: true } })],
    ["slowing", endpoint({ ...success, latency: { ...latency, slowing: true } })],
    ["failing", endpoint({ consecutive_failures: 1 })],
    ["failing", endpoint({ ...success, failing_attempts: 1, latency: { ...latency, slow: true } })],
    ["breaker_open", open({})],
    ["breaker_open", open({ state: "half_open" }, success)],
    ["breaker_open", open({ held_by: "Ana" }, success)],
    ["paused", endpoint(failing, "paused")],
    ["disabled", endpoint(failing, "disabled")],
  ];
  it.each(conditions)("is %s", (condition, given) => {
    expect(endpointCondition(given)).toBe(condition);
  });

  const causes: [string, string, Parameters<typeof endpointCause>[0]][] = [
    ["Nothing has been sent to it yet.", "", endpoint({})],
    ["Healthy: latency not measured yet; last success 3 min ago.", "", endpoint(success)],
    [
      "Healthy: no attempt in 24 h; last success 2 d ago.",
      "",
      endpoint({ ...success, last_success_at: at(-48 * 3_600_000) }),
    ],
    [
      "Healthy: P95 812 ms over 412 attempts in 24 h; last success 3 min ago.",
      "",
      endpoint({ ...success, latency }),
    ],
    [
      "Answers, but slowly: P95 812 ms over 412 attempts in 24 h.",
      "",
      endpoint({ ...success, latency: { ...latency, slow: true } }),
    ],
    [
      "Slowing down: its last hour took several times as long as its last 7 days; P95 812 ms over 412 attempts in 24 h.",
      "",
      endpoint({ ...success, latency: { ...latency, slowing: true } }),
    ],
    [
      "Refused connections since 12:00; 12 failures in a row, the last 3 min ago.",
      "Refused connections since 12:00",
      endpoint(refused),
    ],
    [
      "Answers 503 since 2026-11-28 14:00; 1 failure, the last 3 min ago.",
      "Answers 503 since 2026-11-28 14:00",
      endpoint({
        ...failing,
        consecutive_failures: 1,
        failing_attempts: 1,
        failing_since: at(-2 * 86_400_000),
      }),
    ],
    [
      "Answers 401 (refuses our credentials) since 12:00; 12 failures in a row, the last 3 min ago.",
      "Answers 401 (refuses our credentials) since 12:00",
      endpoint({ ...failing, last_failure_reason: "unauthorized", last_failure_status: 401 }),
    ],
    [
      "The latest attempt failed; 2 failures in a row.",
      "The latest attempt failed",
      endpoint({ consecutive_failures: 2 }),
    ],
    [
      "Refused connections since 12:00; next probe in 40 s.",
      "probe in 40 s",
      open({ next_probe_at: at(40_000) }),
    ],
    [
      "Refused connections since 12:00; the next delivery is the probe.",
      "the next delivery is the probe",
      open({ next_probe_at: at(-1_000) }),
    ],
    [
      "Refused connections since 12:00; a probe is under way.",
      "a probe is under way",
      open({ state: "half_open" }),
    ],
    ["Refused connections since 12:00; nothing is sent to it.", "nothing is sent to it", open({})],
    [
      "Too many attempts failed, open since 13:00; next probe in 40 s.",
      "probe in 40 s",
      open({ next_probe_at: at(40_000) }, success),
    ],
    [
      "The breaker is held open by Ana since 13:00, until somebody resets or closes it.",
      "held by Ana",
      open({ held_by: "Ana" }),
    ],
    [
      "Paused by Ana 2 h ago. Events for it are held, not dropped.",
      "by Ana 2 h ago",
      endpoint(failing, "paused"),
    ],
    [
      "Disabled after 410 Gone, 2 h ago. Events for it are held, not dropped.",
      "after 410 Gone, 2 h ago",
      endpoint({ last_failure_reason: "gone", last_failure_status: 410 }, "disabled"),
    ],
    [
      "Disabled by Ana 2 h ago; the last failure: their server failed (503). Events for it are held, not dropped.",
      "by Ana 2 h ago; the last failure: their server failed (503)",
      endpoint(failure, "disabled"),
    ],
    [
      "Disabled by Ana 2 h ago. Events for it are held, not dropped.",
      "by Ana 2 h ago",
      endpoint({}, "disabled"),
    ],
  ];
  it.each(causes)("says: %s", (cause, short, given) => {
    expect(endpointCause(given, nowMs, "UTC")).toBe(cause);
    expect(endpointCauseShort(given, nowMs, "UTC")).toBe(short);
  });

  it("has a cause in words for every reason", () => {
    for (const reason of reasons) {
      const words = endpointCause(
        endpoint({ ...refused, last_failure_reason: reason, last_failure_status: null }),
        nowMs,
        "UTC",
      );
      expect(words).toMatch(/^[A-Z].+ since 12:00; 12 failures in a row, the last 3 min ago\.$/);
    }
  });
});

describe("an endpoint's settings in words", () => {
  it("names the rate and what may go at once", () => {
    expect(rateWords(null)).toBe("No limit");
    expect(rateWords({ amount: 1, per: "hour", burst: 1 })).toBe(
      "1 request per hour, 1 at once after a pause",
    );
    expect(rateWords({ amount: 25_000, per: "minute", burst: 2_500 })).toBe(
      "25,000 requests per minute, 2,500 at once after a pause",
    );
  });

  it("says of a response rule what becomes of an answer that breaks it", () => {
    expect(ruleWords({ kind: "status_in", statuses: [200, 201], retry: true })).toBe(
      "Status is one of 200, 201; else retried",
    );
    expect(ruleWords({ kind: "body_equals", text: "OK", retry: false })).toBe(
      "Body is exactly “OK”; else a dead letter",
    );
    expect(ruleWords({ kind: "duplicate", text: "known" })).toBe("Body means a duplicate “known”: delivered");
  });
});

describe("what a breaker lets through", () => {
  const closed = {
    state: "closed" as const,
    changed_at: null,
    cooldown_seconds: 300,
    next_probe_at: null,
    held_by: null,
    ramp: null,
  };
  const sentence = (change: object) => breakerSentence({ ...closed, ...change }, nowMs);

  it("is said in every state", () => {
    expect(sentence({})).toBe("Every delivery goes when it is due.");
    expect(sentence({ ramp: 2 })).toBe(
      "It has closed; for now at most 2 requests at once, more with every answer.",
    );
    expect(sentence({ state: "half_open" })).toBe("One request probes whether it works again.");
    expect(sentence({ state: "open", next_probe_at: at(40_000) })).toBe("The next probe goes in 40 s.");
    expect(sentence({ state: "open", next_probe_at: at(-1) })).toBe("The next delivery is the probe.");
    expect(sentence({ state: "open", held_by: "Ana" })).toBe(
      "Held open by Ana until somebody resets or closes it.",
    );
  });
});

describe("why an attempt failed", () => {
  const plain = { reason: null, error_code: null, redirect_to: null, retry_after: null };
  const sentence = (change: Partial<Parameters<typeof attemptSentence>[0]>) =>
    attemptSentence({ ...plain, ...change });

  it("case 11: each fault of a connection has words of its own", () => {
    const faults = [
      { reason: "dns_error", error_code: "ENOTFOUND" },
      { reason: "connection_refused", error_code: "ECONNREFUSED" },
      { reason: "connection_reset", error_code: "ECONNRESET" },
      { reason: "tls_failed", error_code: "POSTHORN_TLS_INTERRUPTED" },
      { reason: "certificate_invalid", error_code: "CERT_HAS_EXPIRED" },
      { reason: "certificate_invalid", error_code: "DEPTH_ZERO_SELF_SIGNED_CERT" },
      { reason: "certificate_invalid", error_code: "ERR_TLS_CERT_ALTNAME_INVALID" },
      { reason: "certificate_invalid", error_code: "CERT_REVOKED" },
    ] as const;
    const sentences = faults.map(sentence);
    expect(new Set(sentences).size).toBe(faults.length);
    for (const text of sentences) expect(text).toMatch(/^(Their|The) [a-z ]+[^.]$/);
  });

  it("case 7: a redirect names its target", () => {
    expect(sentence({ reason: "redirect", redirect_to: "https://new.example/?…" })).toBe(
      "Their server redirects to https://new.example/?…, which is never followed",
    );
    expect(sentence({ reason: "redirect" })).toBe(
      "Their server answered with a redirect, which is never followed",
    );
  });

  it("case 12: a wait that was asked for is shown, and so is its cap", () => {
    const limited = { reason: "rate_limited" } as const;
    expect(sentence({ ...limited, retry_after: { delay_seconds: 120, capped: false } })).toBe(
      "Their server says that we send too fast; it asks for a wait of 2 min",
    );
    expect(sentence({ ...limited, retry_after: { delay_seconds: 86_400, capped: true } })).toBe(
      "Their server says that we send too fast; it asks for a longer wait than the 1 d that are followed",
    );
    expect(sentence(limited)).toBe("Their server says that we send too fast");
    expect(sentence({})).toBeNull();
  });
});
