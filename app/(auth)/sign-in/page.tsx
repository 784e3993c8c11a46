import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { Entrance } from "#components/account/entrance.tsx";
import { SignInForm, SingleSignOn } from "#components/account/sign-in-form.tsx";
import { isSetUp } from "#lib/accounts/service.ts";
import { hasSingleSignOn } from "#lib/accounts/single-sign-on.ts";
import { localPath } from "#lib/auth/local-path.ts";
import { pageSession } from "#lib/auth/page-session.ts";

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
