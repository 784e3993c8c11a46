import fc from "fast-check";
import { expect, test } from "vitest";
import { maxPasswordLength, minPasswordLength, passwordFault } from "#lib/accounts/password.ts";
import { localPath, signInPath } from "#lib/auth/local-path.ts";

const email = "ada.lovelace@posthorn.example";

test("wherever sign-in leads is on this console, whatever it was asked for", () => {
  const pieces = fc.constantFrom(
    "/",
    "//",
    "\\",
    "..",
    ".",
    "@",
    ":",
    "evil.example",
    "https:",
    "\t",
    "%2f",
    "?",
    "#",
  );
  const path = fc.oneof(
    fc.string(),
    fc.webUrl(),
    fc.array(pieces).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(path, (asked) => {
      const led = new URL(localPath(asked), "http://posthorn.example");
      expect(led.origin).toBe("http://posthorn.example");
      expect(localPath(localPath(asked))).toBe(localPath(asked));
      expect(new URL(signInPath(asked), "http://posthorn.example").pathname).toBe("/sign-in");
    }),
    { numRuns: 2_000 },
  );
});

test("what is a path of this console is kept as it is", () => {
  for (const path of ["/", "/overview", "/deliveries?state=failed&q=a%2Fb", "/events/a%20b#top"])
    expect(localPath(path)).toBe(path);
  for (const path of [
    null,
    undefined,
    "",
    "overview",
    "//evil.example",
    "/\\evil.example",
    "/..//evil.example",
  ])
    expect(localPath(path)).toBe("/");
});

test("a password of random characters is taken when it has the length, and only then", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 0, maxLength: 260, unit: "grapheme-ascii" }), (password) => {
      const isLong = password.length >= minPasswordLength && password.length <= maxPasswordLength;
      if (!isLong) expect(passwordFault(password, { email })).toMatch(/^must have at (least|most)/);
      else if (new Set(password.toLowerCase()).size > 8)
        expect(passwordFault(password, { email })).toBeNull();
    }),
  );
});
