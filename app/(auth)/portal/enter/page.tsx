import type { Metadata } from "next";
import { Entrance } from "#components/account/entrance.tsx";
import { EnterPortal } from "#components/portal/enter-portal.tsx";
import { pageSession } from "#lib/auth/page-session.ts";

export const metadata: Metadata = { title: "Your portal" };

type Props = { searchParams: Promise<{ token?: string | string[] }> };

/** Asking for this page changes nothing, so that what looks ahead of people does not use their link up. */
export default async function Page({ searchParams }: Props) {
  const { token } = await searchParams;
  const actor = await pageSession();
  return (
    <Entrance title="Your portal">
      <EnterPortal
        token={typeof token === "string" ? token : ""}
        signedInAs={actor && !actor.viaLink ? actor.name : null}
      />
    </Entrance>
  );
}
