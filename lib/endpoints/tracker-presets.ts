/** Stands where the person's own host belongs; `.example` belongs to nobody (RFC 2606). */
export const placeholderHost = "tracker.example";

/** How a tracker usually takes conversions: a suggestion to start from, not an integration. */
export type TrackerPreset = {
  id: string;
  name: string;
  /** A URL template in our macros, with `placeholderHost` and what else has to be put in by hand. */
  url: string;
  /** What to replace, and what to look up at the tracker. */
  hints: readonly string[];
};

const ownHost = `Put your tracking domain in place of ${placeholderHost}.`;
const clickId = (macro: string) =>
  `The links to the offer must hand over the tracker's click id (${macro}), which comes back here as {click_id}.`;

export const trackerPresets: readonly TrackerPreset[] = [
  {
    id: "keitaro",
    name: "Keitaro",
    url: `https://${placeholderHost}/POSTBACK-KEY/postback?subid={click_id}&status={status:map(approved=sale,pending=lead,declined=rejected,reversed=rejected)}&payout={payout}&currency={currency}&tid={transaction_id}`,
    hints: [
      `Put your tracking domain in place of ${placeholderHost} and your own key in place of POSTBACK-KEY; both stand under Maintenance, Postback URL.`,
      clickId("{subid}"),
      "Keitaro knows the statuses lead, sale, rejected and rebill: the map turns ours into them.",
      "A second conversion of one click counts only with a tid of its own.",
    ],
  },
  {
    id: "binom",
    name: "Binom",
    url: `https://${placeholderHost}/click.php?cnv_id={click_id}&payout={payout}&cnv_status={status}&cnv_currency={currency}`,
    hints: [
      `${ownHost} The tracker may lie in a folder; its own postback URL is under Settings, Tracking links.`,
      clickId("{clickid}"),
      "Payouts are taken from here only where the offer's payout is set to Auto.",
      "Version 2 answers at another path: compare with the postback URL that it shows.",
    ],
  },
  {
    id: "voluum",
    name: "Voluum",
    url: `https://${placeholderHost}/postback?cid={click_id}&payout={payout}&currency={currency}&txid={transaction_id}&et={goal}`,
    hints: [
      `${ownHost} It is the one that Voluum shows in the postback URL of the offer.`,
      clickId("{clickid}"),
      "et names a custom conversion exactly as it is called there, capitals included; leave it out without any.",
      "Several conversions of one click need a txid of their own each.",
    ],
  },
  {
    id: "redtrack",
    name: "RedTrack",
    url: `https://${placeholderHost}/postback?clickid={click_id}&sum={payout}&type={goal}`,
    hints: [
      ownHost,
      clickId("{clickid}"),
      "type is a conversion type as RedTrack lists it; leave it out for the default one.",
    ],
  },
  {
    id: "bemob",
    name: "BeMob",
    url: `https://${placeholderHost}/postback?cid={click_id}&payout={payout}&txid={transaction_id}&status={status}`,
    hints: [
      ownHost,
      clickId("{clickId}"),
      "Statuses count only where the affiliate network's settings there use conversion statuses and name ours.",
    ],
  },
  {
    id: "everflow",
    name: "Everflow",
    url: `https://${placeholderHost}/?nid=NETWORK-ID&transaction_id={click_id}&amount={amount}&adv1={transaction_id}`,
    hints: [
      `${ownHost} Put your network's id in place of NETWORK-ID; the global postback in the platform's configuration has both.`,
      "What Everflow calls a transaction id is the id of the click, {click_id} here.",
      "adv1 to adv5 are free; here the first one carries our own transaction.",
    ],
  },
  {
    id: "generic",
    name: "Another tracker",
    url: `https://${placeholderHost}/postback?click_id={click_id}&payout={payout}&currency={currency}&status={status}&transaction_id={transaction_id}`,
    hints: [
      ownHost,
      "Name the parameters as the tracker does. A template of its own can be pasted as it is: the macros are then translated.",
    ],
  },
];
