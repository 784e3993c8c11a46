"use client";

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useForm } from "react-hook-form";
import { Button } from "#components/ui/button.tsx";
import { Field, FormProblem, Input } from "#components/ui/field.tsx";
import { toastDone } from "#components/ui/toast.tsx";
import { editAffiliateOptions } from "#lib/affiliates/client.ts";
import type { Affiliate, AffiliateRename } from "#lib/affiliates/schema.ts";
import { errorWords } from "#lib/api/fetcher.ts";
import { lazyResolver, showServerErrors } from "#lib/api/forms.ts";

export function RenameForm({ affiliate, onDone }: { affiliate: Affiliate; onDone: () => void }) {
  const edit = useMutation(editAffiliateOptions);
  const [problem, setProblem] = useState<string | null>(null);
  const form = useForm<AffiliateRename>({
    resolver: lazyResolver(async () => (await import("#lib/affiliates/schema.ts")).affiliateRename),
    defaultValues: { name: affiliate.name },
  });
  const send = form.handleSubmit((renaming) => {
    if (edit.isPending) return;
    setProblem(null);
    edit.mutate(
      { key: affiliate.key, edit: renaming },
      {
        onSuccess: (renamed) => {
          onDone();
          const href = `/affiliates/${encodeURIComponent(renamed.key)}`;
          toastDone("The affiliate was renamed.", { href, label: renamed.name });
        },
        onError: (error) =>
          setProblem(showServerErrors(error, { fields: ["name"], setError: form.setError })),
      },
    );
  });
  const submit = (event: FormEvent) => void send(event).catch((error) => setProblem(errorWords(error)));
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field
        label="Name"
        error={form.formState.errors.name?.message}
        hint="What people call it. Events name it by its key, which stays."
      >
        {(ids) => <Input {...ids} {...form.register("name")} autoComplete="off" />}
      </Field>
      <FormProblem message={problem} />
      <div className="flex justify-end">
        <Button type="submit" tone="primary" busy={edit.isPending}>
          Rename
        </Button>
      </div>
    </form>
  );
}
