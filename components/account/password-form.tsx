"use client";

import { useSentForm } from "#components/account/sent-form.ts";
import { Button } from "#components/ui/button.tsx";
import { Field, FormProblem, Input } from "#components/ui/field.tsx";
import { toastDone } from "#components/ui/toast.tsx";
import { changePasswordOptions } from "#lib/accounts/client.ts";
import { passwordRule } from "#lib/accounts/password.ts";

export function PasswordForm() {
  const { form, errors, busy, problem, submit } = useSentForm({
    schema: async () => (await import("#lib/accounts/schema.ts")).passwordChange,
    defaultValues: { current: "", password: "" },
    options: changePasswordOptions,
    fields: ["current", "password"],
    onSuccess: () => {
      form.reset();
      toastDone("Your password was changed. You are signed out everywhere else.");
    },
  });
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
        <Button type="submit" busy={busy}>
          Change the password
        </Button>
      </div>
    </form>
  );
}
