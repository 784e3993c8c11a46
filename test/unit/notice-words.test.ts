import { describe, expect, test } from "vitest";
import { noticeCause, noticeMail } from "#lib/notices/words.ts";

const notice = {
  kind: "failing" as const,
  at: "2026-01-31T14:13:00.000Z",
  reason: "unauthorized" as const,
  status: 401,
  failing_since: "2026-01-31T14:02:00.000Z",
  endpointName: "Tracker",
  endpointUrl: "https://t.example:8443/p?cid={click_id}&token=hush",
  endpointHref: "https://posthorn.example/portal/endpoints/1",
  settingsHref: "https://posthorn.example/portal/notices",
};

describe("an e-mail about an endpoint", () => {
  test("says what happened, since when, why, what to do and where, and no part of the URL but its host", () => {
    const { subject, text } = noticeMail(notice);
    expect(subject).toBe("Your endpoint Tracker fails");
    expect(text).toContain(
      "Your endpoint Tracker (t.example:8443) has been failing since 2026-01-31 14:02:00 UTC.",
    );
    expect(text).toContain("Your server refused our credentials (401). Has the token changed?");
    expect(text).toContain(notice.endpointHref);
    expect(text).not.toContain("hush");
  });

  test.each([
    [{ reason: "unauthorized", status: 401 }, "is not tried again by itself"],
    [{ reason: "certificate_invalid", status: null }, "is not tried again by itself"],
    [{ reason: "rejected_by_response", status: 200 }, "is tried again if that response rule says so"],
    [{ reason: "server_error", status: 503 }, "is tried again by its retry policy"],
    [{ reason: "timeout", status: null }, "is tried again by its retry policy"],
    [{ reason: null, status: null }, "is tried again by its retry policy"],
  ] as const)("promises after %j no retry that will not come", (given, words) => {
    expect(noticeMail({ ...notice, ...given }).text).toContain(words);
  });

  test("says that nothing is lost when it was disabled, and nothing of a cause once it works again", () => {
    expect(noticeMail({ ...notice, kind: "disabled" }).text).toContain("Its events are kept and go out");
    const recovered = noticeMail({
      ...notice,
      kind: "recovered",
      reason: null,
      status: null,
      failing_since: null,
    });
    expect(recovered.subject).toBe("Your endpoint Tracker works again");
    expect(recovered.text).not.toContain("credentials");
  });

  test("names the portal's page where nobody has said where the portal is", () => {
    const { text } = noticeMail({ ...notice, endpointHref: null, settingsHref: null });
    expect(text).toContain("in the portal, under Notices");
    expect(text).not.toContain("http");
  });
});

test.each([
  [{ reason: null, status: 500 }, ""],
  [{ reason: "timeout" as const, status: null }, "Your server did not answer completely in time."],
])("the cause of %j", (given, words) => {
  expect(noticeCause(given)).toBe(words);
});
