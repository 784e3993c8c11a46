/**
 * Who may be on the wire: `slots` requests in all, and at most `share` for one endpoint. Endpoints take turns,
 * so that a long queue of one never delays another's first.
 */
export type Lanes<T> = {
  add: (endpointId: string, share: number, items: T[]) => void;
  /** Items that wait for a slot. */
  queued: () => number;
  active: () => number;
  /** Removes and returns what waits, for a shutdown. */
  drain: () => T[];
};

type Lane<T> = { queue: T[]; head: number; active: number; share: number; waitsForTurn: boolean };

/** `run` must not reject; its end frees the slot. */
export function createLanes<T>(options: { slots: number; run: (item: T) => Promise<void> }): Lanes<T> {
  const lanes = new Map<string, Lane<T>>();
  const turns: string[] = [];
  let queued = 0;
  let active = 0;

  const waiting = (lane: Lane<T>) => lane.queue.length - lane.head;

  function takeTurn(endpointId: string, lane: Lane<T>): void {
    if (lane.waitsForTurn || waiting(lane) === 0 || lane.active >= lane.share) return;
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
      queued--;
      active++;
      lane.active++;
      const item = next(lane);
      takeTurn(endpointId, lane);
      void options.run(item).then(() => {
        active--;
        lane.active--;
        if (lane.active === 0 && waiting(lane) === 0) lanes.delete(endpointId);
        else takeTurn(endpointId, lane);
        pump();
      });
    }
  }

  return {
    add: (endpointId, share, items) => {
      const lane = lanes.get(endpointId) ?? { queue: [], head: 0, active: 0, share, waitsForTurn: false };
      lane.share = share;
      lane.queue.push(...items);
      queued += items.length;
      lanes.set(endpointId, lane);
      takeTurn(endpointId, lane);
      pump();
    },
    queued: () => queued,
    active: () => active,
    drain: () => {
      const rest = [...lanes.values()].flatMap((lane) => lane.queue.splice(lane.head));
      queued = 0;
      turns.length = 0;
      for (const [endpointId, lane] of lanes) {
        lane.waitsForTurn = false;
        if (lane.active === 0) lanes.delete(endpointId);
      }
      return rest;
    },
  };
}
