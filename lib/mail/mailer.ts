import { createTransport } from "nodemailer";

export type Mail = { to: string; subject: string; text: string };

export type Mailer = {
  /** Null when the server took it, else a code of the transport or the server; its words may hold the address. */
  send: (mail: Mail) => Promise<string | null>;
  close: () => void;
};

const connectTimeoutMs = 10_000;
const answerTimeoutMs = 20_000;

/**
 * Sends plain text by the deployment's own SMTP server. `url`: smtp:// (with STARTTLS where the server offers it) or
 * smtps://, with user name and password where it asks for them.
 */
export function createMailer({ url, from }: { url: string; from: string }): Mailer {
  const { hostname, port, protocol, username, password } = new URL(url);
  const secure = protocol === "smtps:";
  const transport = createTransport({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    secure,
    ...(username === ""
      ? {}
      : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    socketTimeout: answerTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async ({ to, subject, text }) => {
      try {
        await transport.sendMail({ from, to: { name: "", address: to }, subject, text });
        return null;
      } catch (error) {
        const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
        return [code, responseCode].filter((part) => part !== undefined).join(" ") || "smtp_failed";
      }
    },
    close: () => transport.close(),
  };
}
