import { expect, test } from "vitest";
import { histogramOf } from "#lib/delivery/latency.ts";
import type { LatencyRow } from "#lib/queue/latency.ts";
import type { Settlement } from "#lib/queue/settle.ts";
import { everyEndpoint } from "#lib/vocabulary.ts";
import { createLatencyRecorder } from "#worker/latency.ts";

const startedAtMs = Date.parse("2026-03-29T12:34:56Z");

const resultOf = (endpointId: string, durationMs: number, attemptReason: Settlement["attemptReason"]) =>
  ({ endpointId, affiliateId: "owner", durationMs, attemptReason, startedAtMs }) as Settlement;

test("an attempt is counted for its endpoint, its affiliate and the deployment, in its class", async () => {
  let written: LatencyRow[] = [];
  const recorder = createLatencyRecorder(async (rows) => {
    written = rows;
  });
  const durationsMs = Array.from({ length: 250 }, (_, i) => 1 + (i % 40));
  recorder.count(durationsMs.map((ms) => resultOf("one", ms, ms > 38 ? "timeout" : null)));
  recorder.count([resultOf("other", 7, "rate_limited"), resultOf("other", 7, null)]);
  // Nothing was sent, so nothing was an attempt.
  recorder.count([resultOf("other", 0, "body_purged")]);
  await recorder.flush();
  const rowOf = (subjectId: string, resolution: string) =>
    written.find((row) => row.subjectId === subjectId && row.resolution === resolution);
  const none = { redirect: 0, client_error: 0, server_error: 0, timeout: 0, network: 0, other: 0 };
  const timeout = durationsMs.filter((ms) => ms > 38).length;
  for (const resolution of ["minute", "hour"]) {
    expect(rowOf("one", resolution)).toMatchObject({
      outcomes: { ...none, delivered: 250 - timeout, timeout },
      histogram: histogramOf(durationsMs),
    });
    expect(rowOf("other", resolution)).toMatchObject({
      outcomes: { ...none, delivered: 1, client_error: 1 },
      histogram: histogramOf([7, 7]),
    });
    for (const subject of ["owner", everyEndpoint])
      expect(rowOf(subject, resolution)).toMatchObject({
        outcomes: { ...none, delivered: 251 - timeout, timeout, client_error: 1 },
        histogram: histogramOf([...durationsMs, 7, 7]),
      });
  }
  expect(written).toHaveLength(8);
});
