import { sendMail } from "#lib/mail/send-mail.ts";

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
  const { id, email } = invitation;
  const mail = { to: email, subject: "You are invited to Posthorn", text: textOf(invitation) };
  return sendMail(mail, { invitation: id });
}

function textOf({ url, invitedBy }: { url: string; invitedBy: string }): string {
  return `${invitedBy} invites you to Posthorn.

Open this link to choose a name and a password. It works once, for 7 days:

${url}

If you expected no invitation, there is nothing to do.
`;
}
