import { describe, expect, test } from "vitest";
import { createLanes } from "#worker/lanes.ts";

/** Lanes whose requests end when the test says so. */
function manualLanes(slots: number) {
  const started: string[] = [];
  const finish = new Map<string, () => void>();
  const lanes = createLanes<string>({
    slots,
    run: (item) => {
      started.push(item);
      return new Promise((resolve) => finish.set(item, resolve));
    },
  });
  const end = async (item: string) => {
    finish.get(item)?.();
    await Promise.resolve();
    await Promise.resolve();
  };
  return { lanes, started, end };
}

describe("lanes", () => {
  test("an endpoint never has more on the wire than its share", async () => {
    const { lanes, started, end } = manualLanes(10);
    lanes.add("a", 2, ["a1", "a2", "a3", "a4"]);
    expect(started).toEqual(["a1", "a2"]);
    await end("a1");
    expect(started).toEqual(["a1", "a2", "a3"]);
    expect([lanes.active(), lanes.queued()]).toEqual([2, 1]);
  });

  test("endpoints take turns for the slots", async () => {
    const { lanes, started, end } = manualLanes(2);
    lanes.add("a", 16, ["a1", "a2", "a3", "a4"]);
    lanes.add("b", 16, ["b1", "b2"]);
    expect(started).toEqual(["a1", "a2"]);
    for (const item of ["a1", "a2", "a3", "b1", "a4"]) await end(item);
    expect(started).toEqual(["a1", "a2", "a3", "b1", "a4", "b2"]);
  });

  test("a lane that was full goes on when its own request ends, also after others", async () => {
    const { lanes, started, end } = manualLanes(4);
    lanes.add("a", 1, ["a1", "a2"]);
    lanes.add("b", 1, ["b1", "b2"]);
    await end("b1");
    await end("a1");
    await end("a2");
    await end("b2");
    expect(started).toEqual(["a1", "b1", "b2", "a2"]);
    expect([lanes.active(), lanes.queued()]).toEqual([0, 0]);
  });

  test("a share follows how many workers there are", async () => {
    const { lanes, started, end } = manualLanes(10);
    lanes.shareAmong(4);
    lanes.add("a", 8, ["a1", "a2", "a3", "a4", "a5", "a6", "a7"]);
    lanes.add("b", 3, ["b1", "b2"]);
    expect(started).toEqual(["a1", "a2", "b1"]);
    lanes.shareAmong(2);
    expect(started.slice(3)).toEqual(["a3", "a4"]);
    lanes.shareAmong(8);
    for (const item of ["a1", "a2", "a3"]) await end(item);
    expect(started.slice(5)).toEqual([]);
    await end("a4");
    expect(started.slice(5)).toEqual(["a5"]);
  });

  test("one that has its turn when its share becomes smaller goes on later", async () => {
    const { lanes, started, end } = manualLanes(2);
    lanes.add("a", 4, ["a1", "a2", "a3", "a4"]);
    lanes.shareAmong(4);
    await end("a1");
    expect(started).toEqual(["a1", "a2"]);
    await end("a2");
    expect(started).toEqual(["a1", "a2", "a3"]);
  });

  test("drain returns what was not started, and nothing of it starts later", async () => {
    const { lanes, started, end } = manualLanes(1);
    lanes.add("a", 4, ["a1", "a2"]);
    lanes.add("b", 4, ["b1"]);
    expect(lanes.drain().sort()).toEqual(["a2", "b1"]);
    await end("a1");
    expect(started).toEqual(["a1"]);
    expect([lanes.active(), lanes.queued()]).toEqual([0, 0]);
    lanes.add("a", 4, ["a3"]);
    expect(started).toEqual(["a1", "a3"]);
  });

  test("drain of some endpoints leaves the others their turns", async () => {
    const { lanes, started, end } = manualLanes(1);
    lanes.add("a", 4, ["a1", "a2"]);
    lanes.add("b", 4, ["b1"]);
    expect(lanes.waitingFor()).toEqual(["a", "b"]);
    expect(lanes.drain(["a", "unknown"])).toEqual(["a2"]);
    expect(lanes.waitingFor()).toEqual(["b"]);
    lanes.add("a", 4, ["a3"]);
    for (const item of ["a1", "a3", "b1"]) await end(item);
    expect(started).toEqual(["a1", "a3", "b1"]);
    expect([lanes.active(), lanes.queued()]).toEqual([0, 0]);
  });
});
