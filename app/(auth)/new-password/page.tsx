import type { Metadata } from "next";
import { Entrance } from "#components/account/entrance.tsx";
import { NewPasswordForm } from "#components/account/new-password-form.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { lookAtPasswordLink, passwordLinkEndWords } from "#lib/password-links/service.ts";

export const metadata: Metadata = { title: "New password" };

type Props = { searchParams: Promise<{ token?: string | string[] }> };

export default async function Page({ searchParams }: Props) {
  const { token } = await searchParams;
  const link = typeof token === "string" ? await lookAtPasswordLink(token) : null;
  if (typeof token === "string" && link?.status === "open") {
    return (
      <Entrance title="Choose a new password">
        <NewPasswordForm token={token} email={link.user.email} />
      </Entrance>
    );
  }
  return (
    <Entrance title="This link is not valid any more">
      <p className="text-ink-2">
        {passwordLinkEndWords(link?.status ?? null)}. Your password was not changed by it; ask for a new link
        if you need one.
      </p>
      <ButtonLink href="/sign-in">Sign in</ButtonLink>
    </Entrance>
  );
}
