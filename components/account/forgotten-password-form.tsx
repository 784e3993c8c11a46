"use client";

import { useSentForm } from "#components/account/sent-form.ts";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { Field, FormProblem, Input } from "#components/ui/field.tsx";
import { askForPasswordLinkOptions } from "#lib/password-links/client.ts";

/** Says the same for every address: whether there is an account is told to its mailbox alone. */
export function ForgottenPasswordForm() {
  const { form, errors, busy, sending, problem, submit } = useSentForm({
    schema: async () => (await import("#lib/password-links/schema.ts")).forgottenPassword,
    defaultValues: { email: "" },
    options: askForPasswordLinkOptions,
    fields: ["email"],
  });
  if (sending.isSuccess) {
    return (
      <>
        <p role="status" className="text-ink-2">
          If there is an account with the address {sending.variables.email}, a link to a new password is on
          its way there. It works once, for 1 hour.
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
      <Button type="submit" tone="primary" busy={busy}>
        Send the link
      </Button>
    </form>
  );
}
