import { headerValue } from "./header-value.ts";

/** How long a server asks us to wait. `capped` says that it asked for longer than we follow. */
export type RetryAfter = { delayMs: number; capped: boolean };

/** The longest wait that is followed: a day. */
export const retryAfterCapMs = 86_400_000;

/**
 * What a response says in Retry-After, which is heeded with 429 and 503 only. `headers`: alternating names and
 * values. Null when it says nothing that can be understood. The first of several counts.
 */
export function retryAfterOf(
  response: { status: number; headers: readonly string[] },
  nowMs: number,
): RetryAfter | null {
  if (response.status !== 429 && response.status !== 503) return null;
  const value = headerValue(response.headers, "retry-after");
  return value === undefined ? null : parseRetryAfter(value, nowMs);
}

/**
 * A Retry-After value (RFC 9110, 10.2.3): seconds or an HTTP date. A date that is past is no wait at all; what is
 * neither, such as a negative number, is null; more than a day is cut to a day.
 */
export function parseRetryAfter(value: string, nowMs: number): RetryAfter | null {
  const text = value.trim();
  const delayMs = /^\d+$/.test(text) ? Number(text) * 1_000 : dateMs(text, nowMs) - nowMs;
  if (Number.isNaN(delayMs)) return null;
  return { delayMs: Math.min(Math.max(0, delayMs), retryAfterCapMs), capped: delayMs > retryAfterCapMs };
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const time = "(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)";
const month = `(?<month>${months.join("|")})`;

/**
 * The three forms of RFC 9110, 5.6.7, in its own spelling: IMF-fixdate, the one of RFC 850, and asctime's. The
 * name of the day says nothing that the date does not, so a wrong one is let pass.
 */
const dateForms = [
  new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\\d\\d) ${month} (?<year>\\d{4}) ${time} GMT$`),
  new RegExp(
    `^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\\d\\d)-${month}-(?<year>\\d\\d) ${time} GMT$`,
  ),
  new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${month} (?<day>\\d\\d| \\d) ${time} (?<year>\\d{4})$`),
];

type DateParts = Record<"year" | "month" | "day" | "hour" | "minute" | "second", string>;

/** Milliseconds since 1970; NaN for what is no HTTP date. */
function dateMs(text: string, nowMs: number): number {
  for (const form of dateForms) {
    const parts = form.exec(text)?.groups as DateParts | undefined;
    if (!parts) continue;
    const { year, month, day, hour, minute, second } = parts;
    const monthIndex = months.indexOf(month);
    const fullYear = year.length === 2 ? fullYearOf(Number(year), nowMs) : Number(year);
    const midnightMs = Date.UTC(fullYear, monthIndex, Number(day));
    const exists = new Date(midnightMs).getUTCMonth() === monthIndex;
    // A leap second may be written as 60.
    if (!exists || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return Number.NaN;
    return midnightMs + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1_000;
  }
  return Number.NaN;
}

/** Two digits mean the century that puts them at most 50 years ahead (RFC 9110, 5.6.7). */
function fullYearOf(twoDigits: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}
