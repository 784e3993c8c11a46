"use client";

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useForm } from "react-hook-form";
import { Button } from "#components/ui/button.tsx";
import { Field, FormProblem, Input } from "#components/ui/field.tsx";
import { setUpOptions } from "#lib/accounts/client.ts";
import { passwordRule } from "#lib/accounts/password.ts";
import type { Setup } from "#lib/accounts/schema.ts";
import { errorWords } from "#lib/api/fetcher.ts";
import { lazyResolver, showServerErrors } from "#lib/api/forms.ts";

/** Makes the first admin, who is then signed in. */
export function SetupForm({ token }: { token: string }) {
  const setUp = useMutation(setUpOptions);
  const [problem, setProblem] = useState<string | null>(null);
  const form = useForm<Setup>({
    resolver: lazyResolver(async () => (await import("#lib/accounts/schema.ts")).setupRequest),
    defaultValues: { token, name: "", email: "", password: "" },
  });
  const { errors } = form.formState;
  const send = form.handleSubmit((given) => {
    if (setUp.isPending || setUp.isSuccess) return;
    setProblem(null);
    setUp.mutate(given, {
      onSuccess: () => window.location.assign("/"),
      onError: (error) =>
        setProblem(
          showServerErrors(error, { fields: ["name", "email", "password"], setError: form.setError }),
        ),
    });
  });
  const submit = (event: FormEvent) => void send(event).catch((error) => setProblem(errorWords(error)));
  return (
    <form method="post" onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field label="Name" error={errors.name?.message} hint="How the audit log calls you.">
        {(ids) => <Input {...ids} {...form.register("name")} autoComplete="name" autoFocus />}
      </Field>
      <Field label="E-mail" error={errors.email?.message} hint="You sign in with it.">
        {(ids) => <Input {...ids} {...form.register("email")} type="email" autoComplete="username" />}
      </Field>
      <Field label="Password" error={errors.password?.message} hint={passwordRule}>
        {(ids) => (
          <Input {...ids} {...form.register("password")} type="password" autoComplete="new-password" />
        )}
      </Field>
      <FormProblem message={problem} />
      <Button type="submit" tone="primary" busy={setUp.isPending || setUp.isSuccess}>
        Create the first admin
      </Button>
    </form>
  );
}
