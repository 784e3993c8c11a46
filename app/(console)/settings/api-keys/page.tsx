import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { ApiKeyList } from "#components/api-keys/api-key-list.tsx";
import { CreateApiKey } from "#components/api-keys/create-api-key.tsx";
import { apiKeyFilters, loadApiKeyParams } from "#components/api-keys/list-params.ts";
import { PageHeader } from "#components/layout/page-header.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { apiKeyListOptions } from "#lib/api-keys/client.ts";
import { apiKeyListQuery } from "#lib/api-keys/schema.ts";
import { listApiKeys } from "#lib/api-keys/service.ts";
import { staffActor } from "#lib/auth/page-session.ts";

export const metadata: Metadata = { title: "API keys" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const actor = await staffActor();
  const filters = apiKeyFilters(await loadApiKeyParams(searchParams));
  const state = await prefetch({
    options: apiKeyListOptions(filters),
    read: () => listApiKeys(actor, apiKeyListQuery.parse(filters)),
  });
  return (
    <HydrationBoundary state={state}>
      <PageHeader title="API keys" actions={<CreateApiKey />} />
      <ApiKeyList />
    </HydrationBoundary>
  );
}
