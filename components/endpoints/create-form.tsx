"use client";

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { FormProvider, useForm, useWatch } from "react-hook-form";
import type { z } from "zod";
import { useIsAffiliate, usePlace } from "#components/layout/reader.tsx";
import { useUnsavedChanges } from "#components/layout/unsaved-changes.ts";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { FormProblem } from "#components/ui/field.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { lazyResolver, showServerErrors } from "#lib/api/forms.ts";
import { createEndpointOptions } from "#lib/endpoints/client.ts";
import { retryPresets } from "#lib/endpoints/retry-presets.ts";
import type { EndpointCreate, endpointCreate } from "#lib/endpoints/schema.ts";
import { AffiliateField } from "./affiliate-field.tsx";
import { CreatedPanel } from "./created-panel.tsx";
import { settingFields } from "./form-types.ts";
import { KindField } from "./kind-field.tsx";
import { EndpointSettingsFields } from "./settings-fields.tsx";

type EndpointCreateInput = z.input<typeof endpointCreate>;

const fields = ["affiliate" as const, ...settingFields];

type EndpointCreateFormProps = {
  /** The key of the affiliate to begin with; for an affiliate's own users it is theirs, and stays so. */
  affiliate: string | null;
};

export function EndpointCreateForm({ affiliate }: EndpointCreateFormProps) {
  const place = usePlace();
  const isOwner = useIsAffiliate();
  const create = useMutation(createEndpointOptions);
  const [problem, setProblem] = useState<string | null>(null);
  const form = useForm<EndpointCreateInput, unknown, EndpointCreate>({
    resolver: lazyResolver(async () => (await import("#lib/endpoints/schema.ts")).endpointCreate),
    defaultValues: {
      affiliate: affiliate ?? "",
      kind: "webhook",
      name: "",
      url: "",
      macro_secrets: [],
      event_types: null,
      filters: [],
      timeout_ms: 15_000,
      retry: retryPresets.quick,
      concurrency: 16,
      ordering: "none",
      rate_limit: null,
      headers: [],
      response_rules: [],
    },
  });
  const [kind = "webhook", owner] = useWatch({ control: form.control, name: ["kind", "affiliate"] });
  useUnsavedChanges(form.formState.isDirty && !create.isSuccess);
  if (create.isSuccess) return <CreatedPanel endpoint={create.data} />;

  const send = form.handleSubmit((endpoint) => {
    if (create.isPending) return;
    setProblem(null);
    create.mutate(endpoint, {
      onError: (error) => setProblem(showServerErrors(error, { fields, setError: form.setError })),
    });
  });
  const submit = (event: FormEvent) => void send(event).catch((error) => setProblem(errorWords(error)));
  return (
    <FormProvider {...form}>
      <form onSubmit={submit} noValidate className="flex max-w-6xl flex-col gap-5">
        <div className="flex max-w-2xl flex-col gap-5">
          {isOwner ? null : <AffiliateField />}
          <KindField />
        </div>
        <EndpointSettingsFields kind={kind} affiliate={owner || null} />
        <FormProblem message={problem} />
        <div className="flex gap-2">
          <Button type="submit" tone="primary" busy={create.isPending}>
            Create the endpoint
          </Button>
          <ButtonLink href={place("/endpoints")} tone="quiet">
            Cancel
          </ButtonLink>
        </div>
      </form>
    </FormProvider>
  );
}
