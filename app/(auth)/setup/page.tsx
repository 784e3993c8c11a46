import type { Metadata } from "next";
import { Entrance } from "#components/account/entrance.tsx";
import { SetupForm } from "#components/account/setup-form.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { canSetUp } from "#lib/accounts/service.ts";

export const metadata: Metadata = { title: "Set-up" };

type Props = { searchParams: Promise<{ token?: string | string[] }> };

export default async function Page({ searchParams }: Props) {
  const { token } = await searchParams;
  if (typeof token === "string" && (await canSetUp(token))) {
    return (
      <Entrance title="Set up Posthorn">
        <p className="text-ink-2">You will be its first admin, who may do everything and lets others in.</p>
        <SetupForm token={token} />
      </Entrance>
    );
  }
  return (
    <Entrance title="This link is not valid any more">
      <p className="text-ink-2">
        A set-up link works once, for 24 hours, and only while there is no admin. Starting Posthorn again
        prints a new one if there is none yet.
      </p>
      <ButtonLink href="/sign-in">Sign in</ButtonLink>
    </Entrance>
  );
}
