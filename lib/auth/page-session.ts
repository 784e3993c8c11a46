import "server-only";
import { headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { cache } from "react";
import { pathHeader, signInPath } from "./local-path.ts";
import { pageVerb } from "./page-verbs.ts";
import { can, isStaff } from "./permissions.ts";
import { findSession, type SessionActor } from "./session.ts";

/** Who asks for a page; null without a live session. Once for each request, however many layouts and pages ask. */
export const pageSession = cache(async (): Promise<SessionActor | null> => findSession(await headers()));

/** Whoever is signed in; others are led to the sign-in page, and from there back. */
export async function signedInActor(): Promise<SessionActor> {
  return (await pageSession()) ?? redirect(signInPath(await pagePath()));
}

/**
 * One of the staff who may read this page (lib/auth/page-verbs.ts); for everybody else there is none. The outermost layout
 * asks, since what is above every loading state decides the status of the answer, and pages ask as well, since a layout
 * is not rendered anew when its reader moves on within it. Who views as an affiliate is led back to the portal, where the
 * view can be ended.
 */
export async function staffActor(): Promise<SessionActor> {
  const actor = await signedInActor();
  if (actor.viewing) redirect("/portal");
  const verb = pageVerb(await pagePath());
  if (!isStaff(actor) || (verb !== null && can(actor, verb) !== null)) notFound();
  return actor;
}

async function pagePath(): Promise<string> {
  return (await headers()).get(pathHeader) ?? "/";
}

/** One of an affiliate's users, for whom the portal is, or of the staff who views it as one. */
export async function affiliateActor(): Promise<SessionActor> {
  const actor = await signedInActor();
  if (actor.affiliate === null) notFound();
  return actor;
}
