"use client";

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useForm } from "react-hook-form";
import { Button } from "#components/ui/button.tsx";
import { Field, FormProblem, Input } from "#components/ui/field.tsx";
import { signInOptions } from "#lib/accounts/client.ts";
import type { SignIn } from "#lib/accounts/schema.ts";
import { errorWords } from "#lib/api/fetcher.ts";
import { lazyResolver, showServerErrors } from "#lib/api/forms.ts";

/** Leads to `next`, a path of this console, in a new document. */
export function SignInForm({ next }: { next: string }) {
  const signIn = useMutation(signInOptions);
  const [problem, setProblem] = useState<string | null>(null);
  const form = useForm<SignIn>({
    resolver: lazyResolver(async () => (await import("#lib/accounts/schema.ts")).signInRequest),
    defaultValues: { email: "", password: "" },
  });
  const { errors } = form.formState;
  const send = form.handleSubmit((given) => {
    if (signIn.isPending || signIn.isSuccess) return;
    setProblem(null);
    signIn.mutate(given, {
      onSuccess: () => window.location.assign(next),
      onError: (error) =>
        setProblem(showServerErrors(error, { fields: ["email", "password"], setError: form.setError })),
    });
  });
  const submit = (event: FormEvent) => void send(event).catch((error) => setProblem(errorWords(error)));
  return (
    <form method="post" onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field label="E-mail" error={errors.email?.message}>
        {(ids) => (
          <Input {...ids} {...form.register("email")} type="email" autoComplete="username" autoFocus />
        )}
      </Field>
      <Field label="Password" error={errors.password?.message}>
        {(ids) => (
          <Input {...ids} {...form.register("password")} type="password" autoComplete="current-password" />
        )}
      </Field>
      <FormProblem message={problem} />
      <Button type="submit" tone="primary" busy={signIn.isPending || signIn.isSuccess}>
        Sign in
      </Button>
    </form>
  );
}
