import type { Metadata } from "next";
import { EndpointCreateForm } from "#components/endpoints/create-form.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";
import { affiliateActor } from "#lib/auth/page-session.ts";

export const metadata: Metadata = { title: "New endpoint" };

export default async function Page() {
  const { affiliate } = await affiliateActor();
  return (
    <>
      <PageHeader title="New endpoint" trail={[{ href: "/portal/endpoints", label: "Endpoints" }]} />
      <EndpointCreateForm affiliate={affiliate?.key ?? null} />
    </>
  );
}
