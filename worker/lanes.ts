/**
 * Who may be on the wire: `slots` requests in all, and of one endpoint this worker's share of its `limit`, at least
 * one. Endpoints take turns, so that a long queue of one never delays another's first.
 */
export type Lanes<T> = {
  add: (endpointId: string, limit: number, items: T[]) => void;
  /** Among how many workers, this one included, limits are shared out from now on; until then it is alone. */
  shareAmong: (workers: number) => void;
  /** Items that wait for a slot. */
  queued: () => number;
  active: () => number;
  /** Endpoints that have items waiting. */
  waitingFor: () => string[];
  /** Removes and returns what waits for these endpoints, or for all. */
  drain: (endpointIds?: readonly string[]) => T[];
};

type Lane<T> = { queue: T[]; head: number; active: number; limit: number; waitsForTurn: boolean };

/** `run` must not reject; its end frees the slot. */
export function createLanes<T>(options: { slots: number; run: (item: T) => Promise<void> }): Lanes<T> {
  const lanes = new Map<string, Lane<T>>();
  const turns: string[] = [];
  let workers = 1;
  let queued = 0;
  let active = 0;

  const waiting = (lane: Lane<T>) => lane.queue.length - lane.head;

  const isFull = (lane: Lane<T>) => lane.active >= Math.max(1, Math.floor(lane.limit / workers));

  function takeTurn(endpointId: string, lane: Lane<T>): void {
    if (lane.waitsForTurn || waiting(lane) === 0 || isFull(lane)) return;
    lane.waitsForTurn = true;
    turns.push(endpointId);
  }

  function next(lane: Lane<T>): T {
    const item = lane.queue[lane.head++] as T;
    if (lane.head === lane.queue.length) {
      lane.queue = [];
      lane.head = 0;
    }
    return item;
  }

  function pump(): void {
    while (active < options.slots) {
      const endpointId = turns.shift();
      if (endpointId === undefined) return;
      const lane = lanes.get(endpointId) as Lane<T>;
      lane.waitsForTurn = false;
      if (waiting(lane) === 0) {
        if (lane.active === 0) lanes.delete(endpointId);
        continue;
      }
      // Its share became smaller while it stood in line; it takes its turn again when a request of its own ends.
      if (isFull(lane)) continue;
      queued--;
      active++;
      lane.active++;
      const item = next(lane);
      takeTurn(endpointId, lane);
      void options.run(item).then(() => {
        active--;
        lane.active--;
        if (lane.active === 0 && waiting(lane) === 0 && !lane.waitsForTurn) lanes.delete(endpointId);
        else takeTurn(endpointId, lane);
        pump();
      });
    }
  }

  return {
    add: (endpointId, limit, items) => {
      const lane = lanes.get(endpointId) ?? { queue: [], head: 0, active: 0, limit, waitsForTurn: false };
      lane.limit = limit;
      lane.queue.push(...items);
      queued += items.length;
      lanes.set(endpointId, lane);
      takeTurn(endpointId, lane);
      pump();
    },
    shareAmong: (count) => {
      workers = count;
      for (const [endpointId, lane] of lanes) takeTurn(endpointId, lane);
      pump();
    },
    queued: () => queued,
    active: () => active,
    waitingFor: () => [...lanes].filter(([, lane]) => waiting(lane) > 0).map(([endpointId]) => endpointId),
    drain: (endpointIds = [...lanes.keys()]) =>
      endpointIds.flatMap((endpointId) => {
        const lane = lanes.get(endpointId);
        if (!lane) return [];
        const rest = lane.queue.slice(lane.head);
        lane.queue = [];
        lane.head = 0;
        queued -= rest.length;
        // One that has its turn still stands in line, and is passed by when it comes.
        if (lane.active === 0 && !lane.waitsForTurn) lanes.delete(endpointId);
        return rest;
      }),
  };
}
