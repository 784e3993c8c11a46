"use client";

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useForm } from "react-hook-form";
import { Button } from "#components/ui/button.tsx";
import { Field, FormProblem, Input } from "#components/ui/field.tsx";
import { toastDone } from "#components/ui/toast.tsx";
import { createAffiliateOptions } from "#lib/affiliates/client.ts";
import type { AffiliateCreate } from "#lib/affiliates/schema.ts";
import { errorWords, withQuery } from "#lib/api/fetcher.ts";
import { lazyResolver, showServerErrors } from "#lib/api/forms.ts";

export function AffiliateForm({ onDone }: { onDone: () => void }) {
  const create = useMutation(createAffiliateOptions);
  const [problem, setProblem] = useState<string | null>(null);
  const form = useForm<AffiliateCreate>({
    resolver: lazyResolver(async () => (await import("#lib/affiliates/schema.ts")).affiliateCreate),
    defaultValues: { name: "", key: "" },
  });
  const { errors } = form.formState;
  const send = form.handleSubmit((affiliate) => {
    if (create.isPending) return;
    setProblem(null);
    create.mutate(affiliate, {
      onSuccess: ({ key, name }) => {
        onDone();
        toastDone(`${name} was added.`, {
          href: withQuery("/endpoints/new", { affiliate: key }),
          label: "Create its first endpoint",
        });
      },
      onError: (error) =>
        setProblem(showServerErrors(error, { fields: ["name", "key"], setError: form.setError })),
    });
  });
  const submit = (event: FormEvent) => void send(event).catch((error) => setProblem(errorWords(error)));
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field label="Name" error={errors.name?.message} hint="What people call it.">
        {(ids) => <Input {...ids} {...form.register("name")} autoComplete="off" />}
      </Field>
      <Field
        label="Key"
        error={errors.key?.message}
        hint="Your own id for it, which events name. Letters, digits and _ . : -"
      >
        {(ids) => (
          <Input
            {...ids}
            {...form.register("key")}
            autoComplete="off"
            spellCheck={false}
            className="font-mono text-xs"
          />
        )}
      </Field>
      <FormProblem message={problem} />
      <div className="flex justify-end">
        <Button type="submit" tone="primary" busy={create.isPending}>
          Add
        </Button>
      </div>
    </form>
  );
}
