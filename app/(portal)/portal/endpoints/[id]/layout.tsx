import { notFound } from "next/navigation";
import type { ReactNode } from "react";
import { z } from "zod";
import { affiliateActor } from "#lib/auth/page-session.ts";
import { endpointForPage } from "#lib/endpoints/for-page.ts";
import { Problem } from "#lib/errors.ts";

type Props = { children: ReactNode; params: Promise<{ id: string }> };

/** Above every loading state, so that an endpoint that is not theirs is a 404, and not a page that says so. */
export default async function EndpointLayout({ children, params }: Props) {
  const actor = await affiliateActor();
  const { data: id } = z.uuid().safeParse(decodeURIComponent((await params).id));
  if (id === undefined) notFound();
  try {
    await endpointForPage(actor, id);
  } catch (error) {
    if (error instanceof Problem && error.status === 404) notFound();
    // Anything else is for the page to show, which can be tried again.
  }
  return children;
}
