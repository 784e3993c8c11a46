/** Turns a moment, in ms since 1970, into text. */
export type TimeWriter = (atMs: number) => string;

const isoTime =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(?::(\d\d)(\.\d{1,9})?)?\s?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/;

/**
 * The moment that an ISO 8601 text names, in ms since 1970, or null. What names no offset is UTC and never the
 * zone of the machine.
 */
export function parseTime(text: string): number | null {
  const match = isoTime.exec(text);
  if (!match) return null;
  const [, day = "", minutes = "00:00", seconds = "00", fraction = "", offset = "Z"] = match;
  const dayMs = Date.parse(`${day}T00:00:00Z`);
  // Some runtimes take 31 February for 3 March.
  if (Number.isNaN(dayMs) || writeDate(dayMs) !== day) return null;
  const atMs = Date.parse(`${day}T${minutes}:${seconds}${fraction.slice(0, 4)}${colonOffset(offset)}`);
  return Number.isNaN(atMs) ? null : atMs;
}

function colonOffset(offset: string): string {
  const digits = offset.replace(":", "");
  return digits.length === 1 ? "Z" : `${digits.slice(0, 3)}:${digits.slice(3) || "00"}`;
}

export function writeIso(atMs: number): string {
  return new Date(atMs).toISOString();
}

export function writeDate(atMs: number): string {
  return dayOf(writeIso(atMs));
}

/** Whether this runtime knows the zone, by its name in the IANA database. */
export function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/.test(zone)) return false;
  try {
    formatterFor(zone);
    return true;
  } catch {
    return false;
  }
}

/** Writes ISO 8601 with the zone's offset at that moment, or the date there. Throws on an unknown zone. */
export function zonedWriters(zone: string): { iso: TimeWriter; date: TimeWriter } {
  const formatter = formatterFor(zone);
  const local = (atMs: number) => {
    const offsetMinutes = offsetMinutesAt(formatter, atMs);
    return { offsetMinutes, text: writeIso(atMs + offsetMinutes * 60_000).slice(0, -1) };
  };
  return {
    iso: (atMs) => {
      const { offsetMinutes, text } = local(atMs);
      return `${text}${offsetText(offsetMinutes)}`;
    },
    date: (atMs) => dayOf(local(atMs).text),
  };
}

/** By name in upper case: making one takes a thousand times as long as using it. There are some 600 zones. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterFor(zone: string): Intl.DateTimeFormat {
  const key = zone.toUpperCase();
  const known = formatters.get(key);
  if (known) return known;
  const formatter = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    era: "short",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formatters.set(key, formatter);
  return formatter;
}

/** Whole minutes: ISO 8601 has no seconds in an offset, which some places had before 1900. */
function offsetMinutesAt(formatter: Intl.DateTimeFormat, atMs: number): number {
  const parts = new Map(formatter.formatToParts(atMs).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
  const year = parts.get("era")?.startsWith("B") ? 1 - part("year") : part("year");
  // Date.UTC takes the years 0 to 99 for 1900 to 1999.
  const local = new Date(0);
  local.setUTCFullYear(year, part("month") - 1, part("day"));
  local.setUTCHours(part("hour"), part("minute"), part("second"));
  return Math.trunc((local.getTime() - Math.floor(atMs / 1_000) * 1_000) / 60_000);
}

function offsetText(minutes: number): string {
  const of = Math.abs(minutes);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(of / 60))}:${two(of % 60)}`;
}

/** The day of an ISO text; years past 9999 have a sign and more digits. */
function dayOf(iso: string): string {
  return iso.slice(0, iso.indexOf("T"));
}
