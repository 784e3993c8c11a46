import { config } from "#lib/config.ts";
import { createLogger } from "#lib/log.ts";
import { createMailer } from "#lib/mail/mailer.ts";

/**
 * Sends an invitation's link by e-mail. Whether the mail server took it; null where the deployment has none. It never
 * rejects: the link can still be copied.
 */
export async function mailInvitation(invitation: {
  id: string;
  email: string;
  url: string;
  invitedBy: string;
}): Promise<boolean | null> {
  const { smtp } = config();
  if (!smtp) return null;
  const mailer = createMailer(smtp);
  try {
    const mail = { subject: "You are invited to Posthorn", text: textOf(invitation) };
    const failure = await mailer.send({ to: invitation.email, ...mail });
    if (failure !== null)
      createLogger("web").warn({ invitation: invitation.id, failure }, "invitation not sent");
    return failure === null;
  } finally {
    mailer.close();
  }
}

function textOf({ url, invitedBy }: { url: string; invitedBy: string }): string {
  return `${invitedBy} invites you to Posthorn.

Open this link to choose a name and a password. It works once, for 7 days:

${url}

If you expected no invitation, there is nothing to do.
`;
}
