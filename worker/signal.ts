/** Wakes whoever waits, or lets the wait run out. A wake-up that nobody waits for is kept for the next wait. */
export type Signal = { notify: () => void; wait: (timeoutMs: number) => Promise<void> };

export function createSignal(): Signal {
  let pending = false;
  let wake: (() => void) | null = null;
  return {
    notify: () => {
      if (wake) wake();
      else pending = true;
    },
    wait: (timeoutMs) => {
      if (pending || timeoutMs <= 0) {
        pending = false;
        return Promise.resolve();
      }
      return new Promise((resolve) => {
        const finish = () => {
          clearTimeout(timer);
          wake = null;
          resolve();
        };
        const timer = setTimeout(finish, timeoutMs);
        wake = finish;
      });
    },
  };
}
