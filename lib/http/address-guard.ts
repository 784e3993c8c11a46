import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Whether a request may go to this address: it is public unicast, or it lies in an allowed subnet (CIDR).
 * A form that carries an IPv4 address is judged by what it carries. Anything that is not an address is refused.
 */
export function isAllowedAddress(ip: string, allowedSubnets: readonly string[]): boolean {
  const withoutZone = ip.split("%", 1)[0] ?? "";
  if (isIP(withoutZone) === 0) return false;
  return destinations(ipaddr.parse(withoutZone)).every(
    (address) => isPublic(address) || allowedSubnets.some((subnet) => isInside(address, subnet)),
  );
}

/** The address itself, or the IPv4 addresses that a mapping or tunnel would turn it into. */
function destinations(address: Address): Address[] {
  if (address.kind() === "ipv4") return [address];
  const [a, b, c, d, e, f, high, low] = (address as ipaddr.IPv6).parts as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  switch (address.range()) {
    case "ipv4Mapped":
    case "rfc6145":
      return [ipv4(high, low)];
    case "rfc6052":
      // 64:ff9b:1::/48 puts the IPv4 address where its operator likes, so it stays as it is: not public.
      return c === 0 ? [ipv4(high, low)] : [address];
    case "6to4":
      return [ipv4(b, c)];
    case "teredo":
      return [ipv4(c, d), ipv4(high ^ 0xffff, low ^ 0xffff)];
    case "unicast":
      // IPv4-compatible, ::a.b.c.d: long deprecated, but some stacks still unwrap it.
      return (a | b | c | d | e | f) === 0 ? [ipv4(high, low)] : [address];
    default:
      return [address];
  }
}

const ipv4 = (high: number, low: number) => new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);

function isPublic(address: Address): boolean {
  if (address.range() !== "unicast") return false;
  // Only 2000::/3 has ever been given out; ipaddr.js calls everything without a name unicast.
  return address.kind() === "ipv4" || ((address as ipaddr.IPv6).parts[0] ?? 0) >> 13 === 1;
}

function isInside(address: Address, subnet: string): boolean {
  const [network, bits] = ipaddr.parseCIDR(subnet);
  return network.kind() === address.kind() && address.match(network, bits);
}

/**
 * Whether a URL's host shows without a lookup that it may not be reached: a literal address, in brackets or
 * not, or one of the names that always mean this machine (RFC 6761, section 6.3).
 */
export function isForbiddenHost(host: string, allowedSubnets: readonly string[]): boolean {
  const name = host.replace(/^\[|\]$|\.$/g, "");
  const isLoopbackName = name === "localhost" || name.endsWith(".localhost");
  const shown = isLoopbackName ? ["127.0.0.1", "::1"] : isIP(name) === 0 ? [] : [name];
  return shown.length > 0 && !shown.some((address) => isAllowedAddress(address, allowedSubnets));
}

export type UrlPolicy = { allowHttp: boolean; allowedSubnets: readonly string[] };
export type UrlCheck = { ok: true; url: string } | { ok: false; message: string };

/**
 * Checks an endpoint's URL as it is saved. Returns the string that will be sent (scheme and host in lower
 * case, international names in ASCII, no default port), or what is wrong with it, fit to follow the field's
 * name. Names are only looked up when a connection is made; see `createConnector`.
 */
export function checkEndpointUrl(text: string, { allowHttp, allowedSubnets }: UrlPolicy): UrlCheck {
  const refuse = (message: string): UrlCheck => ({ ok: false, message });
  const schemes = allowHttp ? "https:// or http://" : "https://";
  const url = URL.parse(text);
  if (!url) return refuse("must be a complete URL, such as https://example.com/hook");
  if (url.protocol !== "https:" && url.protocol !== "http:") return refuse(`must begin with ${schemes}`);
  if (url.protocol === "http:" && !allowHttp)
    return refuse("must begin with https://; plain http is not allowed here");
  if (/[\t\r\n]/.test(text)) return refuse("must not contain tabs or line breaks");
  if (url.username !== "" || url.password !== "") {
    return refuse(
      "must not contain a user name or password; give credentials in a header, or as a token in the path or query",
    );
  }
  if (url.port === "0") return refuse("must not have port 0, which nothing can listen at");
  if (text.includes("#"))
    return refuse("must not contain a fragment (#...), which is never sent; encode a literal # as %23");

  if (isForbiddenHost(url.hostname, allowedSubnets)) {
    return refuse(`must be publicly reachable; ${url.hostname} lies in a network that is not allowed here`);
  }
  return { ok: true, url: url.href };
}
