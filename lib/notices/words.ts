import { ownerRemedies, toOwner, whatFollows } from "#lib/endpoints/owner-words.ts";
import { formatAbsolute } from "#lib/format.ts";
import { type NoticeKind, type Reason, reasonSentences } from "#lib/vocabulary.ts";

type Told = {
  kind: NoticeKind;
  reason: Reason | null;
  status: number | null;
  failing_since: string | null;
};

/** What the latest failure was, in one sentence; empty where none is known. */
export function noticeCause({ reason, status }: Pick<Told, "reason" | "status">): string {
  if (reason === null) return "";
  return `${toOwner(reasonSentences[reason])}${status === null ? "" : ` (${status})`}.`;
}

const happened = {
  failing: "fails",
  disabled: "was disabled",
  recovered: "works again",
} satisfies Record<NoticeKind, string>;

/** An e-mail about one notice, as plain text. Of the endpoint's URL it has the host alone: the rest may hold a token. */
export function noticeMail(
  notice: Told & {
    at: string;
    endpointName: string;
    endpointUrl: string;
    endpointHref: string | null;
    settingsHref: string | null;
  },
): { subject: string; text: string } {
  const { kind, endpointName } = notice;
  const host = URL.parse(notice.endpointUrl.replace(/\{[^}]*\}/g, "x"))?.host ?? "";
  const name = `${endpointName}${host === "" ? "" : ` (${host})`}`;
  const parts = [
    sentence(notice, name),
    kind === "recovered" ? "" : [noticeCause(notice), remedy(notice)].filter(Boolean).join(" "),
    kind === "recovered" ? "" : consequence(notice),
    notice.endpointHref === null ? "" : `The endpoint: ${notice.endpointHref}`,
    notice.settingsHref === null
      ? "What you are told is chosen in the portal, under Notices."
      : `What you are told is chosen here: ${notice.settingsHref}`,
  ];
  return {
    subject: `Your endpoint ${endpointName} ${happened[kind]}`,
    text: `${parts.filter(Boolean).join("\n\n")}\n`,
  };
}

function sentence({ kind, at, failing_since }: Told & { at: string }, name: string): string {
  switch (kind) {
    case "failing": {
      const since = failing_since === null ? "" : ` since ${formatAbsolute(failing_since, "UTC")}`;
      return `Your endpoint ${name} has been failing${since}.`;
    }
    case "disabled":
      return `Your endpoint ${name} was disabled at ${formatAbsolute(at, "UTC")}.`;
    case "recovered":
      return `Your endpoint ${name} works again: a delivery succeeded, and what waits goes out.`;
  }
}

function consequence(notice: Told): string {
  if (notice.kind === "disabled")
    return "Nothing is sent to it any more. Its events are kept and go out, in order, once you resume it.";
  return failingWords[whatFollows(notice)];
}

const failingWords = {
  retried: "What fails is tried again by its retry policy, and given up on after the last attempt.",
  given_up:
    "What was refused like this is not tried again by itself: resend it in the portal once this is fixed.",
  by_rule:
    "What was refused like this is tried again if that response rule says so: else resend it in the portal once this is fixed.",
} satisfies Record<ReturnType<typeof whatFollows>, string>;

function remedy({ reason }: Pick<Told, "reason">): string {
  return reason === null ? "" : ownerRemedies[reason];
}
