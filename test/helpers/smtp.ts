import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

export type ReceivedMail = { from: string; to: string[]; text: string };

export type TestMailServer = {
  url: string;
  mails: ReceivedMail[];
  /** Refuses what comes from now on; null takes it again. */
  refuse: (reason: string | null) => void;
  close: () => Promise<void>;
};

/** An SMTP server on loopback that keeps what it is given. */
export async function startMailServer(): Promise<TestMailServer> {
  const mails: ReceivedMail[] = [];
  let refusal: string | null = null;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    onRcptTo: (_address, _session, callback) =>
      callback(refusal === null ? null : Object.assign(new Error(refusal), { responseCode: 451 })),
    onData: (stream, { envelope }, callback) => {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        mails.push({
          from: envelope.mailFrom ? envelope.mailFrom.address : "",
          to: envelope.rcptTo.map(({ address }) => address),
          text: decoded(Buffer.concat(parts).toString("utf8")),
        });
        callback();
      });
    },
  });
  server.on("error", () => {});
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refuse: (reason) => {
      refusal = reason;
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** Quoted-printable as it was before: its soft line breaks taken out, its escapes read. */
function decoded(mail: string): string {
  const joined = mail.replace(/=\r\n/g, "");
  return joined.replace(/(?:=[0-9A-F]{2})+/g, (bytes) =>
    Buffer.from(bytes.replaceAll("=", ""), "hex").toString("utf8"),
  );
}
