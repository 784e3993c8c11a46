import { config } from "#lib/config.ts";
import { createLogger } from "#lib/log.ts";
import { createMailer, type Mail } from "./mailer.ts";

/** Whether the deployment has a mail server. */
export function canMail(): boolean {
  return config().smtp !== undefined;
}

/**
 * Sends one e-mail by the deployment's mail server. Whether that took it; null where there is none. It never rejects.
 * `about`: what the log says of one that was not taken, without its address.
 */
export async function sendMail(mail: Mail, about: Record<string, string>): Promise<boolean | null> {
  const { smtp } = config();
  if (!smtp) return null;
  const mailer = createMailer(smtp);
  try {
    const failure = await mailer.send(mail);
    if (failure !== null) createLogger("web").warn({ ...about, failure }, "e-mail not sent");
    return failure === null;
  } finally {
    mailer.close();
  }
}
