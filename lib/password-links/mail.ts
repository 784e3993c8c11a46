import { sendMail } from "#lib/mail/send-mail.ts";

/** Sends a link to a new password to whom it is for. It never rejects. */
export async function mailPasswordLink(given: { id: string; email: string; url: string }): Promise<void> {
  const { id, email, url } = given;
  const text = `Somebody, most likely you, asked for a new password for your account on Posthorn.

Open this link to choose one. It works once, for 1 hour:

${url}

If it was not you, there is nothing to do: your password stays what it is.
`;
  await sendMail({ to: email, subject: "A new password for Posthorn", text }, { password_link: id });
}

/** Tells somebody who has no password that there is none to be forgotten. It never rejects. */
export async function mailWithoutPassword({ id, email }: { id: string; email: string }): Promise<void> {
  const text = `Somebody, most likely you, asked for a new password for your account on Posthorn.

You have none: you sign in with single sign-on. An admin can make you a link to a password, should you need one.
`;
  await sendMail({ to: email, subject: "You sign in to Posthorn with single sign-on", text }, { user: id });
}
