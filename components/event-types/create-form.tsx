"use client";

import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type FormEvent, useState } from "react";
import { FormProvider, useForm } from "react-hook-form";
import type { z } from "zod";
import { useUnsavedChanges } from "#components/layout/unsaved-changes.ts";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { Field, FormProblem, Input } from "#components/ui/field.tsx";
import { toastDone } from "#components/ui/toast.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { lazyResolver, showServerErrors } from "#lib/api/forms.ts";
import { createEventTypeOptions } from "#lib/event-types/client.ts";
import type { EventTypeCreate, eventTypeCreate } from "#lib/event-types/schema.ts";
import { errorPlaces } from "./form-types.ts";
import { EventTypeSettingsFields } from "./settings-fields.tsx";

export function EventTypeCreateForm() {
  const router = useRouter();
  const create = useMutation(createEventTypeOptions);
  const [problem, setProblem] = useState<string | null>(null);
  const form = useForm<z.input<typeof eventTypeCreate>, unknown, EventTypeCreate>({
    resolver: lazyResolver(async () => (await import("#lib/event-types/schema.ts")).eventTypeCreate),
    defaultValues: { name: "", description: "", fields: [], invalid_data: "refuse" },
  });
  const { isDirty, errors } = form.formState;
  useUnsavedChanges(isDirty && !create.isSuccess);

  const send = form.handleSubmit((type) => {
    if (create.isPending) return;
    setProblem(null);
    const fields = ["name" as const, ...errorPlaces];
    create.mutate(type, {
      onSuccess: ({ name }) => {
        const page = `/event-types/${encodeURIComponent(name)}`;
        toastDone("Added; events of this type can be published.", { href: page, label: name });
        router.push(page);
      },
      onError: (error) => setProblem(showServerErrors(error, { fields, setError: form.setError })),
    });
  });
  const submit = (event: FormEvent) => void send(event).catch((error) => setProblem(errorWords(error)));
  return (
    <FormProvider {...form}>
      <form onSubmit={submit} noValidate className="flex max-w-3xl flex-col gap-5">
        <Field
          label="Name"
          error={errors.name?.message}
          hint="Lower-case words joined by dots, such as conversion.approved. It cannot be changed later."
        >
          {(ids) => (
            <Input
              {...ids}
              {...form.register("name")}
              autoComplete="off"
              spellCheck={false}
              className="font-mono text-xs"
            />
          )}
        </Field>
        <EventTypeSettingsFields />
        <FormProblem message={problem} />
        <div className="flex gap-2">
          <Button type="submit" tone="primary" busy={create.isPending}>
            Add the event type
          </Button>
          <ButtonLink href="/event-types" tone="quiet">
            Cancel
          </ButtonLink>
        </div>
      </form>
    </FormProvider>
  );
}
