import { redirect } from "next/navigation";
import { landingPath } from "#lib/auth/landing.ts";
import { signedInActor } from "#lib/auth/page-session.ts";

export default async function Page() {
  const { role, viewing } = await signedInActor();
  redirect(landingPath(viewing ? "affiliate" : role));
}
