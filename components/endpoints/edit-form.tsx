"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type FormEvent, useState } from "react";
import { FormProvider, useForm } from "react-hook-form";
import type { z } from "zod";
import { ErrorState } from "#components/data-table/states.tsx";
import { usePlace } from "#components/layout/reader.tsx";
import { RecordSkeleton } from "#components/layout/record-skeleton.tsx";
import { useUnsavedChanges } from "#components/layout/unsaved-changes.ts";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { FormProblem } from "#components/ui/field.tsx";
import { toastDone } from "#components/ui/toast.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { lazyResolver, showServerErrors } from "#lib/api/forms.ts";
import { editEndpointOptions, endpointOptions } from "#lib/endpoints/client.ts";
import type { EndpointDetail, EndpointEdit, endpointEdit } from "#lib/endpoints/schema.ts";
import type { EndpointKind } from "#lib/vocabulary.ts";
import { type EndpointSettings, settingFields } from "./form-types.ts";
import { SendTestPanel } from "./send-test-panel.tsx";
import { EndpointSettingsFields } from "./settings-fields.tsx";

export function EndpointEditForm({ id }: { id: string }) {
  const query = useQuery(endpointOptions(id));
  if (query.data) return <EditForm endpoint={query.data} />;
  if (query.error) {
    return (
      <ErrorState
        what="The endpoint"
        error={query.error}
        onRetry={() => void query.refetch()}
        busy={query.isFetching}
      />
    );
  }
  return <RecordSkeleton />;
}

function EditForm({ endpoint }: { endpoint: EndpointDetail }) {
  const router = useRouter();
  const place = usePlace();
  const edit = useMutation(editEndpointOptions);
  const [problem, setProblem] = useState<string | null>(null);
  // As it was when the form opened: the query goes on refreshing below it.
  const [initial] = useState(() => settingsOf(endpoint));
  const form = useForm<z.input<typeof endpointEdit>, unknown, EndpointEdit>({
    resolver: lazyResolver(async () => (await import("#lib/endpoints/schema.ts")).endpointEdit),
    defaultValues: initial,
  });
  const { isDirty } = form.formState;
  useUnsavedChanges(isDirty && !edit.isSuccess);
  const page = place(`/endpoints/${endpoint.id}`);

  const send = form.handleSubmit((settings) => {
    if (edit.isPending || !isDirty) return;
    setProblem(null);
    const changes = changed(initial, settings);
    if (Object.keys(changes).length === 0) return router.push(page);
    edit.mutate(
      { id: endpoint.id, edit: changes },
      {
        onSuccess: () => {
          toastDone(savedWords(endpoint.kind, changes), { href: page, label: endpoint.name });
          router.push(page);
        },
        onError: (error) =>
          setProblem(showServerErrors(error, { fields: settingFields, setError: form.setError })),
      },
    );
  });
  const submit = (event: FormEvent) => void send(event).catch((error) => setProblem(errorWords(error)));
  return (
    <FormProvider {...form}>
      <form onSubmit={submit} noValidate className="flex max-w-6xl flex-col gap-5">
        <EndpointSettingsFields kind={endpoint.kind} affiliate={endpoint.affiliate.key} />
        <FormProblem message={problem} />
        <div className="flex items-start gap-2">
          <Button
            type="submit"
            tone="primary"
            busy={edit.isPending}
            disabledReason={isDirty ? null : "Nothing has been changed."}
          >
            Save
          </Button>
          <ButtonLink href={page} tone="quiet">
            Cancel
          </ButtonLink>
        </div>
      </form>
      {/* Outside the form, which its dialog would otherwise send. */}
      <div className="mt-6 max-w-6xl">
        <SendTestPanel endpoint={endpoint} hasUnsaved={isDirty} />
      </div>
    </FormProvider>
  );
}

/** A postback's request is rendered when its delivery is made, not when it is sent. */
function savedWords(kind: EndpointKind, changes: EndpointEdit): string {
  const isTemplate = kind === "postback" && (changes.url ?? changes.postback) !== undefined;
  return isTemplate
    ? "Saved; the next event uses it. What waits already can be rendered again on the endpoint's page."
    : "Saved; the next request uses it.";
}

function settingsOf(endpoint: EndpointDetail): EndpointSettings {
  const { name, url, macro_secrets, event_types, timeout_ms, retry, concurrency, ordering } = endpoint;
  const { rate_limit, headers } = endpoint;
  const filters = endpoint.filters.map((filter) =>
    filter.is === "one_of" ? { ...filter, values: [...filter.values] } : filter,
  );
  const response_rules = endpoint.response_rules.map((rule) =>
    rule.kind === "status_in" ? { ...rule, statuses: [...rule.statuses] } : rule,
  );
  return {
    name,
    url,
    postback: endpoint.postback ?? undefined,
    macro_secrets,
    event_types,
    filters,
    timeout_ms,
    retry,
    concurrency,
    ordering,
    rate_limit,
    headers,
    response_rules,
  };
}

/** Only what was changed here, so that a change made elsewhere meanwhile is not undone. */
function changed(before: EndpointSettings, after: EndpointEdit): EndpointEdit {
  const names = Object.keys(before) as (keyof EndpointSettings)[];
  const differing = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(differing.map((name) => [name, after[name]]));
}
