import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { isIP } from "node:net";

export type TestCertificate = { cert: string; key: string; subject: Buffer; privateKey: KeyObject };

export type CertificateOptions = {
  commonName: string;
  /** DNS names and IPv4 addresses that it is for. */
  names?: string[];
  notBefore?: Date;
  notAfter?: Date;
  /** Absent: signed by itself, and fit to sign others. */
  issuer?: TestCertificate;
};

const dayMs = 86_400_000;

/** Makes an X.509 certificate (P-256), so that tests need no openssl and the repository holds no keys. */
export function makeCertificate(options: CertificateOptions): TestCertificate {
  const { commonName, names = [], issuer } = options;
  const { notBefore = new Date(Date.now() - dayMs), notAfter = new Date(Date.now() + dayMs) } = options;
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = sequence(der(0x31, sequence(objectId("550403"), der(0x0c, Buffer.from(commonName)))));
  const algorithm = sequence(objectId("2a8648ce3d040302"));
  const alternatives = names.map((name) =>
    isIP(name) === 4 ? der(0x87, Buffer.from(name.split(".").map(Number))) : der(0x82, Buffer.from(name)),
  );
  const extensions = [
    ...(issuer
      ? []
      : [
          sequence(
            objectId("551d13"),
            der(0x01, Buffer.from([0xff])),
            octets(sequence(der(0x01, Buffer.from([0xff])))),
          ),
        ]),
    ...(names.length > 0 ? [sequence(objectId("551d11"), octets(sequence(...alternatives)))] : []),
  ];
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    issuer?.subject ?? subject,
    sequence(utcTime(notBefore), utcTime(notAfter)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = sign("sha256", toBeSigned, issuer?.privateKey ?? privateKey);
  const certificate = sequence(
    toBeSigned,
    algorithm,
    der(0x03, Buffer.concat([Buffer.from([0]), signature])),
  );
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    subject,
    privateKey,
  };
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const header =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(header), content]);
}

const sequence = (...parts: Buffer[]) => der(0x30, Buffer.concat(parts));
const octets = (content: Buffer) => der(0x04, content);
const objectId = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
/** 2026-01-02T03:04:05.678Z as 260102030405Z. */
const utcTime = (date: Date) =>
  der(
    0x17,
    Buffer.from(
      `${date
        .toISOString()
        .replace(/[-:T]|\..*/g, "")
        .slice(2)}Z`,
    ),
  );
