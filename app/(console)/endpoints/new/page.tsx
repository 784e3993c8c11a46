import type { Metadata } from "next";
import { EndpointCreateForm } from "#components/endpoints/create-form.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";
import { affiliateKey } from "#lib/affiliates/schema.ts";
import { staffActor } from "#lib/auth/page-session.ts";

export const metadata: Metadata = { title: "New endpoint" };

type Props = { searchParams: Promise<{ affiliate?: string | string[] }> };

export default async function Page({ searchParams }: Props) {
  await staffActor();
  const affiliate = affiliateKey.safeParse((await searchParams).affiliate).data ?? null;
  return (
    <>
      <PageHeader title="New endpoint" trail={[{ href: "/endpoints", label: "Endpoints" }]} />
      <EndpointCreateForm affiliate={affiliate} />
    </>
  );
}
