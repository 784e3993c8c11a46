import type { Metadata } from "next";
import { Entrance } from "#components/account/entrance.tsx";
import { AcceptForm } from "#components/invitations/accept-form.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { invitationEndWords, lookAtInvitation } from "#lib/invitations/service.ts";
import { roleLabels } from "#lib/vocabulary.ts";

export const metadata: Metadata = { title: "Invitation" };

type Props = { searchParams: Promise<{ token?: string | string[] }> };

export default async function Page({ searchParams }: Props) {
  const { token } = await searchParams;
  const invitation = typeof token === "string" ? await lookAtInvitation(token) : null;
  if (typeof token === "string" && invitation?.status === "open") {
    const { email, role, affiliate } = invitation;
    return (
      <Entrance title="You are invited">
        <p className="text-ink-2">
          {affiliate
            ? `You will see the endpoints of ${affiliate.name} and what is sent to them.`
            : `You will have the role ${roleLabels[role].toLowerCase()}.`}
        </p>
        <AcceptForm token={token} email={email} />
      </Entrance>
    );
  }
  return (
    <Entrance title="This link is not valid any more">
      <p className="text-ink-2">
        {invitationEndWords(invitation?.status ?? null)}. Ask whoever invited you for a new one.
      </p>
      <ButtonLink href="/sign-in">Sign in</ButtonLink>
    </Entrance>
  );
}
