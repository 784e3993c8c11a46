import { writeIso } from "./times.ts";

/** What a template is rendered with. */
export type RenderInput = {
  /** Text of each field that is present, with the digits it came with. Empty text counts as missing. */
  values: ReadonlyMap<string, string>;
  event: { id: string; type: string; occurredAtMs: number };
  deliveryId: string;
  affiliateId: string;
};

/** `integer`: stands in JSON outside a string too. `occurredAt`: the event's own time, for `tz` and `date`. */
type BuiltIn = { read: (input: RenderInput) => string; isInteger: boolean; isOccurredAt: boolean };

const id = (read: BuiltIn["read"]): BuiltIn => ({ read, isInteger: false, isOccurredAt: false });
const time = (read: BuiltIn["read"], isInteger: boolean): BuiltIn => ({
  read,
  isInteger,
  isOccurredAt: true,
});
const isoOfEvent = (input: RenderInput) => writeIso(input.event.occurredAtMs);

/** The macros that every event has; they go before fields of the same name. */
const builtIns: ReadonlyMap<string, BuiltIn> = new Map([
  ["event_id", id((input) => input.event.id)],
  ["event_type", id((input) => input.event.type)],
  ["delivery_id", id((input) => input.deliveryId)],
  ["affiliate_id", id((input) => input.affiliateId)],
  ["timestamp", time((input) => String(Math.floor(input.event.occurredAtMs / 1_000)), true)],
  ["timestamp_ms", time((input) => String(input.event.occurredAtMs), true)],
  ["timestamp_iso", time(isoOfEvent, false)],
  ["occurred_at", time(isoOfEvent, false)],
]);

const builtInNames: readonly string[] = [...builtIns.keys()];

/** The macro of that name that every event has, if it is one. */
export function builtIn(name: string): BuiltIn | undefined {
  return builtIns.get(name);
}

const secretName = /^secret\.([A-Za-z0-9_-]{1,64})$/;

/** The secret that a macro's name stands for, or null. */
export function secretOf(name: string): string | null {
  return secretName.exec(name)?.[1] ?? null;
}

/** What other trackers call it, without case and marks; names with a number are in `numbered`. */
const aliases: ReadonlyMap<string, string> = new Map(
  Object.entries({
    click_id: "cid clickid clkid clickref click subid externalid extid reqid requestid visitorid uclick",
    conversion_id: "convid leadid conversion cnvid actionid",
    transaction_id: "txid txnid tid transid transactionid trxid orderid order saleid",
    payout: "sum price revenue rev commission payoutamount profit earning earnings cost payment",
    amount: "saleamount saleprice ordervalue ordertotal depositamount total value",
    currency: "cur ccy currencycode payoutcurrency",
    status: "st state convstatus conversionstatus cnvstatus leadstatus",
    goal: "goalid goalname et action eventname",
    offer_id: "offer oid offerid",
    campaign_id: "campaign campid cmpid camp",
    country: "geo cc countrycode geocountry",
    sub1: "affsub sub",
    affiliate_id: "aff affid affiliate pid publisherid partnerid",
    event_type: "eventtype type event",
    event_id: "uuid uid uniqueid",
    timestamp: "ts time unixtime unixtimestamp epoch",
    timestamp_iso: "datetime isotime",
  }).flatMap(([name, others]) => others.split(" ").map((other): [string, string] => [other, name])),
);
const numbered = /^(?:affsub|affsubid|subid|sub|s|var|token|t|c|ext)(\d{1,2})$/;

/** The longest name that is worth looking for a near miss of. */
const maxComparedLength = 40;

/** The names that a template may use, ready to be looked up in any spelling. */
export type NameIndex = { names: ReadonlySet<string>; bySpelling: ReadonlyMap<string, string> };

export function indexNames(fieldNames: Iterable<string>): NameIndex {
  const names = new Set([...builtInNames, ...fieldNames]);
  return { names, bySpelling: new Map([...names].map((name) => [squash(name), name])) };
}

/** The name that another tracker, or another spelling, calls so. No guessing at misspellings. */
export function translateName(name: string, index: NameIndex): string | null {
  if (index.names.has(name)) return name;
  if (name.length > maxComparedLength) return null;
  const squashed = squash(name);
  const known = index.bySpelling.get(squashed);
  if (known !== undefined) return known;
  const other = aliases.get(squashed) ?? subOf(squashed);
  return other !== undefined && index.names.has(other) ? other : null;
}

/** The name that was probably meant: another spelling or tracker's word, else a near miss. */
export function suggestName(name: string, index: NameIndex): string | null {
  const translated = translateName(name, index);
  if (translated !== null || name.length > maxComparedLength) return translated;
  const squashed = squash(name);
  if (squashed.length < 3) return null;
  let best: string | null = null;
  let bestDistance = squashed.length < 5 ? 2 : 3;
  for (const [spelling, candidate] of index.bySpelling) {
    const distance = editDistance(squashed, spelling, bestDistance);
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

function subOf(squashed: string): string | undefined {
  const number = numbered.exec(squashed)?.[1];
  return number === undefined ? undefined : `sub${Number(number)}`;
}

function squash(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** Damerau-Levenshtein with adjacent swaps; `limit` or more means that it does not matter how much more. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      }
      row.push(least);
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? limit;
}
