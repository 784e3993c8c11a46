import type { Metadata } from "next";
import { Entrance } from "#components/account/entrance.tsx";
import { ForgottenPasswordForm } from "#components/account/forgotten-password-form.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { canMail } from "#lib/mail/send-mail.ts";

export const metadata: Metadata = { title: "Forgotten password" };

export default function Page() {
  return (
    <Entrance title="Forgot your password?">
      {canMail() ? (
        <ForgottenPasswordForm />
      ) : (
        <>
          <p className="text-ink-2">
            This deployment sends no e-mail. Ask an admin for a link to a new password.
          </p>
          <ButtonLink href="/sign-in">Back to signing in</ButtonLink>
        </>
      )}
    </Entrance>
  );
}
