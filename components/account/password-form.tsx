"use client";

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useForm } from "react-hook-form";
import { Button } from "#components/ui/button.tsx";
import { Field, FormProblem, Input } from "#components/ui/field.tsx";
import { toastDone } from "#components/ui/toast.tsx";
import { changePasswordOptions } from "#lib/accounts/client.ts";
import { passwordRule } from "#lib/accounts/password.ts";
import type { PasswordChange } from "#lib/accounts/schema.ts";
import { errorWords } from "#lib/api/fetcher.ts";
import { lazyResolver, showServerErrors } from "#lib/api/forms.ts";

export function PasswordForm() {
  const change = useMutation(changePasswordOptions);
  const [problem, setProblem] = useState<string | null>(null);
  const form = useForm<PasswordChange>({
    resolver: lazyResolver(async () => (await import("#lib/accounts/schema.ts")).passwordChange),
    defaultValues: { current: "", password: "" },
  });
  const { errors } = form.formState;
  const send = form.handleSubmit((given) => {
    if (change.isPending) return;
    setProblem(null);
    change.mutate(given, {
      onSuccess: () => {
        form.reset();
        toastDone("Your password was changed. You are signed out everywhere else.");
      },
      onError: (error) =>
        setProblem(showServerErrors(error, { fields: ["current", "password"], setError: form.setError })),
    });
  });
  const submit = (event: FormEvent) => void send(event).catch((error) => setProblem(errorWords(error)));
  return (
    <form method="post" onSubmit={submit} noValidate className="flex max-w-sm flex-col gap-4">
      <Field label="Current password" error={errors.current?.message}>
        {(ids) => (
          <Input {...ids} {...form.register("current")} type="password" autoComplete="current-password" />
        )}
      </Field>
      <Field label="New password" error={errors.password?.message} hint={passwordRule}>
        {(ids) => (
          <Input {...ids} {...form.register("password")} type="password" autoComplete="new-password" />
        )}
      </Field>
      <FormProblem message={problem} />
      <div>
        <Button type="submit" busy={change.isPending}>
          Change the password
        </Button>
      </div>
    </form>
  );
}
