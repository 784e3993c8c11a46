"use client";

import { useSentForm } from "#components/account/sent-form.ts";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { Field, FormProblem, Input } from "#components/ui/field.tsx";
import { passwordRule } from "#lib/accounts/password.ts";
import { setNewPasswordOptions } from "#lib/password-links/client.ts";

/** Sets the password of the user whom the link is for, and signs nobody in: their second factor may be asked for. */
export function NewPasswordForm({ token, email }: { token: string; email: string }) {
  const { form, errors, busy, sending, problem, submit } = useSentForm({
    schema: async () => (await import("#lib/password-links/schema.ts")).newPasswordRequest,
    defaultValues: { token, password: "" },
    options: setNewPasswordOptions,
    fields: ["password"],
  });
  if (sending.isSuccess) {
    return (
      <>
        <p role="status" className="text-ink-2">
          Your password was set, and you were signed out everywhere. Sign in with the new one.
        </p>
        <ButtonLink href="/sign-in" tone="primary">
          Sign in
        </ButtonLink>
      </>
    );
  }
  return (
    <form method="post" onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field label="E-mail" hint="You sign in with it.">
        {(ids) => <Input {...ids} value={email} readOnly type="email" autoComplete="username" />}
      </Field>
      <Field label="New password" error={errors.password?.message} hint={passwordRule}>
        {(ids) => (
          <Input
            {...ids}
            {...form.register("password")}
            type="password"
            autoComplete="new-password"
            autoFocus
          />
        )}
      </Field>
      <FormProblem message={problem} />
      <Button type="submit" tone="primary" busy={busy}>
        Set the password
      </Button>
    </form>
  );
}
