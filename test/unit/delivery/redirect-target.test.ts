import { expect, test } from "vitest";
import { redirectTarget } from "#lib/delivery/redirect-target.ts";

const url = "https://partner.example/hooks/in?key=canary";
const target = (location: string, status = 302) =>
  redirectTarget({ status, headers: ["location", "none", "date", "x", "Location", location].slice(2), url });

test.each([
  ["https://new.example/hook", "https://new.example/hook"],
  ["https://new.example:8443", "https://new.example:8443/"],
  ["/moved", "https://partner.example/moved"],
  ["moved/", "https://partner.example/hooks/moved/"],
  ["//other.example/a", "https://other.example/a"],
  ["?key=canary", "https://partner.example/hooks/in?…"],
  ["http://new.example/login?return=canary#canary", "http://new.example/login?…"],
  ["https://user:canary@new.example/", "https://new.example/"],
  ["https://new.example/?", "https://new.example/"],
])("case 7: %s is shown as %s", (location, shown) => {
  expect(target(location)).toBe(shown);
});

test.each(["http://", "javascript:alert(1)", "mailto:a@b.example", "file:///etc/passwd"])(
  "%s is no page to name",
  (location) => {
    expect(target(location)).toBeNull();
  },
);

test("only a redirect has a target, and only where it says so", () => {
  for (const status of [200, 201, 299, 400, 503]) expect(target("/moved", status)).toBeNull();
  for (const status of [300, 308, 399]) expect(target("/moved", status)).not.toBeNull();
  expect(redirectTarget({ status: 302, headers: [], url })).toBeNull();
  expect(redirectTarget({ status: 302, headers: ["x", "location", "y", "/moved"], url })).toBeNull();
});
