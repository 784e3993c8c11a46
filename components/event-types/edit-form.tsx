"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type FormEvent, useState } from "react";
import { FormProvider, useForm } from "react-hook-form";
import type { z } from "zod";
import { ErrorState } from "#components/data-table/states.tsx";
import { RecordSkeleton } from "#components/layout/record-skeleton.tsx";
import { useUnsavedChanges } from "#components/layout/unsaved-changes.ts";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { FormProblem } from "#components/ui/field.tsx";
import { ConfirmDialog } from "#components/ui/lazy-dialog.tsx";
import { toastDone } from "#components/ui/toast.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { lazyResolver, showServerErrors } from "#lib/api/forms.ts";
import { editEventTypeOptions, eventTypeOptions } from "#lib/event-types/client.ts";
import type { EventTypeDetail, EventTypeEdit, eventTypeEdit } from "#lib/event-types/schema.ts";
import { type EventTypeSettings, errorPlaces } from "./form-types.ts";
import { EventTypeSettingsFields } from "./settings-fields.tsx";

export function EventTypeEditForm({ name }: { name: string }) {
  const query = useQuery(eventTypeOptions(name));
  if (query.data) return <EditForm type={query.data} />;
  if (query.error) {
    return (
      <ErrorState
        what="The event type"
        error={query.error}
        onRetry={() => void query.refetch()}
        busy={query.isFetching}
      />
    );
  }
  return <RecordSkeleton />;
}

function EditForm({ type }: { type: EventTypeDetail }) {
  const router = useRouter();
  const edit = useMutation(editEventTypeOptions);
  const [problem, setProblem] = useState<string | null>(null);
  const [question, setQuestion] = useState<Question | null>(null);
  // As it was when the form opened: the query goes on refreshing below it.
  const [initial] = useState<EventTypeSettings>({
    description: type.description,
    fields: type.fields,
    invalid_data: type.invalid_data,
  });
  const form = useForm<z.input<typeof eventTypeEdit>, unknown, EventTypeEdit>({
    resolver: lazyResolver(async () => (await import("#lib/event-types/schema.ts")).eventTypeEdit),
    defaultValues: initial,
  });
  const { isDirty } = form.formState;
  useUnsavedChanges(isDirty && !edit.isSuccess);
  const page = `/event-types/${encodeURIComponent(type.name)}`;

  const save = (settings: EventTypeEdit) => {
    setProblem(null);
    edit.mutate(
      { name: type.name, edit: changed(initial, settings) },
      {
        onSuccess: () => {
          toastDone("Saved; it holds for the next event.", { href: page, label: type.name });
          router.push(page);
        },
        onError: (error) => {
          setProblem(showServerErrors(error, { fields: errorPlaces, setError: form.setError }));
        },
      },
    );
  };
  const send = form.handleSubmit((settings) => {
    if (edit.isPending || !isDirty) return;
    const names = noLongerSensitive(initial, settings);
    if (names.length === 0) save(settings);
    else setQuestion({ names, settings, isOpen: true });
  });
  const close = () => setQuestion((asked) => asked && { ...asked, isOpen: false });
  const submit = (event: FormEvent) => void send(event).catch((error) => setProblem(errorWords(error)));
  return (
    <FormProvider {...form}>
      <form onSubmit={submit} noValidate className="flex max-w-3xl flex-col gap-5">
        <EventTypeSettingsFields />
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
      {question ? (
        <ConfirmDialog
          open={question.isOpen}
          onOpenChange={close}
          title={`Stop masking ${question.names.join(", ")}?`}
          confirmLabel="Save and stop masking"
          danger
          onConfirm={() => {
            close();
            save(question.settings);
          }}
        >
          <p>
            Masking goes by the type as it is now: values of old events become visible at the console, to
            everybody and without a reason.
          </p>
        </ConfirmDialog>
      ) : null}
    </FormProvider>
  );
}

type Question = { names: string[]; settings: EventTypeEdit; isOpen: boolean };

/** Sensitive fields that the edit removes, renames or takes the mark from. */
function noLongerSensitive(before: EventTypeSettings, { fields = [] }: EventTypeEdit): string[] {
  const still = new Set(fields.filter(({ sensitive }) => sensitive).map(({ name }) => name));
  return before.fields.filter(({ name, sensitive }) => sensitive && !still.has(name)).map(({ name }) => name);
}

/** Only what was changed here, so that a change made elsewhere meanwhile is not undone. */
function changed(before: EventTypeSettings, after: EventTypeEdit): EventTypeEdit {
  const names = Object.keys(before) as (keyof EventTypeSettings)[];
  const differing = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(differing.map((name) => [name, after[name]]));
}
