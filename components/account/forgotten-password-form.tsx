"use client";

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useForm } from "react-hook-form";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { Field, FormProblem, Input } from "#components/ui/field.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { lazyResolver, showServerErrors } from "#lib/api/forms.ts";
import { askForPasswordLinkOptions } from "#lib/password-links/client.ts";
import type { ForgottenPassword } from "#lib/password-links/schema.ts";

/** Says the same for every address: whether there is an account is told to its mailbox alone. */
export function ForgottenPasswordForm() {
  const ask = useMutation(askForPasswordLinkOptions);
  const [problem, setProblem] = useState<string | null>(null);
  const form = useForm<ForgottenPassword>({
    resolver: lazyResolver(async () => (await import("#lib/password-links/schema.ts")).forgottenPassword),
    defaultValues: { email: "" },
  });
  const { errors } = form.formState;
  const send = form.handleSubmit((given) => {
    if (ask.isPending) return;
    setProblem(null);
    ask.mutate(given, {
      onError: (error) => setProblem(showServerErrors(error, { fields: ["email"], setError: form.setError })),
    });
  });
  const submit = (event: FormEvent) => void send(event).catch((error) => setProblem(errorWords(error)));
  if (ask.isSuccess) {
    return (
      <>
        <p role="status" className="text-ink-2">
          If there is an account with the address {ask.variables.email}, a link to a new password is on its
          way there. It works once, for 1 hour.
        </p>
        <ButtonLink href="/sign-in">Back to signing in</ButtonLink>
      </>
    );
  }
  return (
    <form method="post" onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field label="E-mail" error={errors.email?.message} hint="You sign in with it.">
        {(ids) => (
          <Input {...ids} {...form.register("email")} type="email" autoComplete="username" autoFocus />
        )}
      </Field>
      <FormProblem message={problem} />
      <Button type="submit" tone="primary" busy={ask.isPending}>
        Send the link
      </Button>
    </form>
  );
}
