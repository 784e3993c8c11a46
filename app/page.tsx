import { redirect } from "next/navigation";
import { landingPath } from "#lib/auth/landing.ts";
import { signedInActor } from "#lib/auth/page-session.ts";

export default async function Page() {
  redirect(landingPath((await signedInActor()).role));
}
