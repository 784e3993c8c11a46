/** Numbers, sizes and times as people read them. Pure: the present is an argument. */

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** `12,345`. */
export function formatCount(count: number): string {
  return grouped.format(count);
}

/** `12,345`, or `1,000+` where counting stopped early. */
export function formatCapped({ count, capped }: { count: number; capped: boolean }): string {
  return capped ? `${formatCount(count)}+` : formatCount(count);
}

/** `1 attempt`, `12 attempts`; pass the plural where it is not singular + s. */
export function formatNoun(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

/** A share in percent: `0 %`, `<0.1 %`, `2.4 %`, `100 %`. Of nothing there is none: `–`. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return "–";
  const percent = (part / whole) * 100;
  if (percent > 0 && percent < 0.1) return "<0.1 %";
  // 999 of 1,000 are not all of them.
  const rounded = part < whole ? Math.min(percent, 99.9) : percent;
  return `${Number(rounded.toFixed(1))} %`;
}

/** A measured duration: `<1 ms`, `38 ms`, `1.24 s`, `15.0 s`. */
export function formatMs(ms: number): string {
  if (ms < 1) return "<1 ms";
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_995) return `${(ms / secondMs).toFixed(2)} s`;
  if (ms < 99_950) return `${(ms / secondMs).toFixed(1)} s`;
  return formatSpan(ms);
}

/** A span in its two largest units, to the whole second: `40 s`, `2 min 10 s`, `1 h`, `2 d 3 h`. */
export function formatSpan(ms: number): string {
  const units = [
    { ms: dayMs, name: "d" },
    { ms: hourMs, name: "h" },
    { ms: minuteMs, name: "min" },
    { ms: secondMs, name: "s" },
  ];
  const whole = Math.max(0, Math.round(ms / secondMs) * secondMs);
  const first = units.findIndex((unit) => whole >= unit.ms);
  if (first === -1) return "0 s";
  return units
    .slice(first, first + 2)
    .map((unit, index) => {
      const rest = index === 0 ? whole : whole % (units[first]?.ms ?? unit.ms);
      return { count: Math.floor(rest / unit.ms), name: unit.name };
    })
    .filter(({ count }) => count > 0)
    .map(({ count, name }) => `${count} ${name}`)
    .join(" ");
}

/** How long ago, in one unit: `just now`, `40 s ago`, `3 min ago`, `2 h ago`, `5 d ago`. Ahead: `in 2 min 10 s`. */
export function formatRelative(iso: string, nowMs: number): string {
  const agoMs = nowMs - Date.parse(iso);
  if (agoMs <= -secondMs) return `in ${formatSpan(-agoMs)}`;
  if (agoMs < 5 * secondMs) return "just now";
  if (agoMs < minuteMs) return `${Math.floor(agoMs / secondMs)} s ago`;
  if (agoMs < hourMs) return `${Math.floor(agoMs / minuteMs)} min ago`;
  if (agoMs < dayMs) return `${Math.floor(agoMs / hourMs)} h ago`;
  return `${Math.floor(agoMs / dayMs)} d ago`;
}

/**
 * `2026-11-30 14:02:31 CET`: date, time and zone in one unambiguous form.
 * `timeZone` is an IANA name; without one, the zone of the machine that formats.
 */
export function formatAbsolute(iso: string, timeZone?: string): string {
  const parts = dateParts(timeZone).formatToParts(new Date(iso));
  const part = (type: string) => parts.find((candidate) => candidate.type === type)?.value ?? "";
  return `${part("year")}-${part("month")}-${part("day")} ${part("hour")}:${part("minute")}:${part("second")} ${part("timeZoneName")}`;
}

/** `14:02`, for axes and dense tables whose heading names the zone. */
export function formatMinute(iso: string, timeZone?: string): string {
  const parts = dateParts(timeZone).formatToParts(new Date(iso));
  const part = (type: string) => parts.find((candidate) => candidate.type === type)?.value ?? "";
  return `${part("hour")}:${part("minute")}`;
}

/**
 * A span of time by its beginning: `14:02`, `11-30 14:00`, and a day, which is one of UTC in any zone, `2026-11-30`.
 */
export function formatBucket(iso: string, span: "minute" | "hour" | "day", timeZone?: string): string {
  if (span === "minute") return formatMinute(iso, timeZone);
  if (span === "day") return formatAbsolute(iso, "UTC").slice(0, 10);
  return formatAbsolute(iso, timeZone).slice(5, 16);
}

/** `today 14:02`, `tomorrow 14:02`, later `2026-12-03 14:02`: a time ahead, without its zone. */
export function formatUpcoming(iso: string, nowMs: number, timeZone?: string): string {
  const days = calendarDay(iso, timeZone) - calendarDay(new Date(nowMs).toISOString(), timeZone);
  const day = ["today", "tomorrow"][days] ?? formatAbsolute(iso, timeZone).slice(0, 10);
  return `${day} ${formatMinute(iso, timeZone)}`;
}

/** `14:02` of today, else `2026-11-28 14:02`: a time past, without its zone. */
export function formatSince(iso: string, nowMs: number, timeZone?: string): string {
  const isToday = calendarDay(iso, timeZone) === calendarDay(new Date(nowMs).toISOString(), timeZone);
  return isToday ? formatMinute(iso, timeZone) : formatAbsolute(iso, timeZone).slice(0, 16);
}

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** As people say it: `14:02`, `yesterday 14:02`, `Tuesday 14:02`, and from 7 days on `2026-11-20 14:02`. */
export function formatSinceDay(iso: string, nowMs: number, timeZone?: string): string {
  const day = calendarDay(iso, timeZone);
  const ago = calendarDay(new Date(nowMs).toISOString(), timeZone) - day;
  if (ago <= 0 || ago >= 7) return formatSince(iso, nowMs, timeZone);
  // The first day of 1970 was a Thursday.
  return `${ago === 1 ? "yesterday" : weekdays[(day + 4) % 7]} ${formatMinute(iso, timeZone)}`;
}

/** The number of the day that a calendar in this zone shows. */
function calendarDay(iso: string, timeZone: string | undefined): number {
  return Date.parse(`${formatAbsolute(iso, timeZone).slice(0, 10)}T00:00:00Z`) / dayMs;
}

const dateFormats = new Map<string | undefined, Intl.DateTimeFormat>();

/** Numeric parts only, so that two builds of the locale data cannot disagree about a month's name. */
function dateParts(timeZone: string | undefined): Intl.DateTimeFormat {
  let format = dateFormats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-GB", {
      ...(timeZone === undefined ? {} : { timeZone }),
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
      timeZoneName: "short",
    });
    dateFormats.set(timeZone, format);
  }
  return format;
}

/** `812 B`, `64.0 KiB`, `1.0 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${formatCount(bytes)} B`;
  if (bytes < 1_048_576) return `${(bytes / 1_024).toFixed(1)} KiB`;
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}

/** Keeps both ends of a long text, where ids and URLs differ: `https://hooks.ex…/posthorn`. */
export function truncateMiddle(text: string, maxLength: number): string {
  const characters = Array.from(text);
  if (characters.length <= maxLength) return text;
  const head = Math.ceil((maxLength - 1) / 2);
  const tail = maxLength - 1 - head;
  return `${characters.slice(0, head).join("")}…${tail > 0 ? characters.slice(-tail).join("") : ""}`;
}

/** With its first letter in upper case. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
