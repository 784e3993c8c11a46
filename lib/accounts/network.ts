import { isIPv6 } from "node:net";

/**
 * What the throttles count an address as: one of IPv6 as its /64, since whoever has one address of that has all of them,
 * every other as it is.
 */
export function networkOf(address: string | null): string | null {
  if (address === null || !isIPv6(address)) return address;
  const [bare] = address.split("%");
  // The URL parser writes every spelling of an address in the same way.
  const halves = new URL(`http://[${bare}]`).hostname.slice(1, -1).split("::");
  const [head = [], tail = []] = halves.map((half) => half.split(":").filter((group) => group !== ""));
  const groups = [...head, ...Array(8 - head.length - tail.length).fill("0"), ...tail];
  return `${groups.slice(0, 4).join(":")}::/64`;
}
