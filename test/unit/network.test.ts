import fc from "fast-check";
import { expect, test } from "vitest";
import { networkOf } from "#lib/accounts/network.ts";

test.each([
  [null, null],
  ["192.0.2.1", "192.0.2.1"],
  ["unknown", "unknown"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:DB8:0:0:1:2:3:4", "2001:db8:0:0::/64"],
  ["2001:0db8:0001:0002:0003:0004:0005:0006", "2001:db8:1:2::/64"],
  ["1::2:3:4:5:6:7", "1:0:2:3::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
  ["64:ff9b:1:2::192.0.2.1", "64:ff9b:1:2::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
])("%s counts as %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test("of any IPv6 address it is the first four groups", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }), (groups) => {
      const text = groups.map((group) => group.toString(16));
      expect(networkOf(text.join(":"))).toBe(`${text.slice(0, 4).join(":")}::/64`);
    }),
  );
});
