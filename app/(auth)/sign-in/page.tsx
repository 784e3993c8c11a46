import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { Entrance } from "#components/account/entrance.tsx";
import { SignInForm, SingleSignOn } from "#components/account/sign-in-form.tsx";
import { isSetUp } from "#lib/accounts/service.ts";
import { hasSingleSignOn } from "#lib/accounts/single-sign-on.ts";
import { localPath } from "#lib/auth/local-path.ts";
import { pageSession } from "#lib/auth/page-session.ts";
import { canMail } from "#lib/mail/send-mail.ts";

export const metadata: Metadata = { title: "Sign in" };

type Props = { searchParams: Promise<{ next?: string | string[]; failed?: string | string[] }> };

export default async function Page({ searchParams }: Props) {
  const { next, failed } = await searchParams;
  const path = localPath(typeof next === "string" ? next : null);
  if (await pageSession()) redirect(path);
  return (
    <Entrance title="Sign in">
      {(await isSetUp()) ? (
        <>
          <SignInForm next={path} />
          <ForgottenHint />
          {hasSingleSignOn() ? <SingleSignOn next={path} hasFailed={failed !== undefined} /> : null}
        </>
      ) : (
        <p className="text-ink-2">
          Nobody can sign in yet. Open the set-up link that Posthorn printed when it was started; it makes the
          first admin.
        </p>
      )}
    </Entrance>
  );
}

/** Without a mail server nobody but an admin can hand out a link. */
function ForgottenHint() {
  return (
    <p className="text-ink-2">
      {canMail() ? (
        <Link href="/forgotten-password" className="underline underline-offset-2">
          Forgot your password?
        </Link>
      ) : (
        "Forgot your password? Ask an admin for a link to a new one."
      )}
    </p>
  );
}
