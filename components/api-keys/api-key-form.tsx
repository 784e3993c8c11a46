"use client";

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Controller, useForm } from "react-hook-form";
import type { z } from "zod";
import { AffiliateSelect } from "#components/filters/affiliate-select.tsx";
import { Button } from "#components/ui/button.tsx";
import { Checkbox, Field, FormProblem, Input, Radio, Select } from "#components/ui/field.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { lazyResolver, showServerErrors } from "#lib/api/forms.ts";
import { createApiKeyOptions } from "#lib/api-keys/client.ts";
import type { ApiKeyCreate, ApiKeyCreated, apiKeyCreate } from "#lib/api-keys/schema.ts";
import { keyPurposeLabels, keyPurposeSentences, keyPurposes } from "#lib/vocabulary.ts";

const lifetimes = [
  { days: 0, label: "Never" },
  { days: 7, label: "In 7 days" },
  { days: 30, label: "In 30 days" },
  { days: 90, label: "In 90 days" },
  { days: 365, label: "In a year" },
];
const dayMs = 86_400_000;
const fields = ["name", "purpose", "affiliate", "expires_at"] as const;

export function ApiKeyForm({ onMade }: { onMade: (apiKey: ApiKeyCreated) => void }) {
  const create = useMutation(createApiKeyOptions);
  const [problem, setProblem] = useState<string | null>(null);
  const [isLimited, setLimited] = useState(false);
  const [days, setDays] = useState(0);
  const form = useForm<z.input<typeof apiKeyCreate>, unknown, ApiKeyCreate>({
    resolver: lazyResolver(async () => (await import("#lib/api-keys/schema.ts")).apiKeyCreate),
    defaultValues: { name: "", purpose: "publish", affiliate: null, expires_at: null },
  });
  const { errors } = form.formState;
  const purpose = form.watch("purpose");
  const send = form.handleSubmit((apiKey) => {
    if (create.isPending) return;
    setProblem(null);
    create.mutate(apiKey, {
      onSuccess: onMade,
      onError: (error) => setProblem(showServerErrors(error, { fields, setError: form.setError })),
    });
  });
  const submit = (event: FormEvent) => {
    const end = days === 0 ? null : new Date(Date.now() + days * dayMs).toISOString();
    form.setValue("expires_at", end);
    void send(event).catch((error) => setProblem(errorWords(error)));
  };
  const limit = (limited: boolean) => {
    setLimited(limited);
    // Empty until one is chosen, which the schema refuses.
    form.setValue("affiliate", limited ? "" : null);
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field label="Name" error={errors.name?.message} hint="Who or what will call with it.">
        {(ids) => <Input {...ids} {...form.register("name")} autoComplete="off" />}
      </Field>
      <fieldset className="flex flex-col gap-1.5">
        <legend className="mb-1 font-medium text-sm">Purpose</legend>
        {keyPurposes.map((choice) => (
          <Radio
            key={choice}
            name="purpose"
            checked={purpose === choice}
            onChange={() => {
              form.setValue("purpose", choice);
              limit(false);
            }}
            hint={keyPurposeSentences[choice]}
          >
            {keyPurposeLabels[choice]}
          </Radio>
        ))}
      </fieldset>
      {purpose === "read" ? (
        <Checkbox
          checked={isLimited}
          onChange={(event) => limit(event.target.checked)}
          hint="It then sees that affiliate's own endpoints, events and deliveries, and nothing of others."
        >
          Only what belongs to one affiliate
        </Checkbox>
      ) : null}
      {isLimited ? (
        <Controller
          control={form.control}
          name="affiliate"
          render={({ field, fieldState }) => (
            <Field
              label="Affiliate"
              error={fieldState.error && !field.value ? "Choose the affiliate." : fieldState.error?.message}
            >
              {(ids) => (
                <AffiliateSelect
                  {...ids}
                  ref={field.ref}
                  value={field.value ?? null}
                  onChange={field.onChange}
                  onBlur={field.onBlur}
                />
              )}
            </Field>
          )}
        />
      ) : null}
      <Field label="Expires" error={errors.expires_at?.message}>
        {(ids) => (
          <Select {...ids} value={days} onChange={(event) => setDays(Number(event.target.value))}>
            {lifetimes.map((lifetime) => (
              <option key={lifetime.days} value={lifetime.days}>
                {lifetime.label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <FormProblem message={problem} />
      <div className="flex justify-end">
        <Button type="submit" tone="primary" busy={create.isPending}>
          Create the key
        </Button>
      </div>
    </form>
  );
}
