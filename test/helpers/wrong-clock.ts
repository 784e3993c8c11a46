/** Preloaded into a process: its wall clock is an hour ahead. The monotonic clock and timers are not touched. */
const offsetMs = 3_600_000;
const RightDate = Date;

globalThis.Date = new Proxy(RightDate, {
  construct: (target, args, self) =>
    Reflect.construct(target, args.length === 0 ? [RightDate.now() + offsetMs] : args, self),
  apply: () => new RightDate(RightDate.now() + offsetMs).toString(),
  get: (target, name) =>
    name === "now" ? () => RightDate.now() + offsetMs : Reflect.get(target, name, target),
});
