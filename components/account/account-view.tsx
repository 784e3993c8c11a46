"use client";

import { useRouter } from "next/navigation";
import { useSentForm } from "#components/account/sent-form.ts";
import { useReader } from "#components/layout/reader.tsx";
import { Button } from "#components/ui/button.tsx";
import { Field, FormProblem, Input } from "#components/ui/field.tsx";
import { Fact, Facts, Panel } from "#components/ui/panel.tsx";
import { toastDone } from "#components/ui/toast.tsx";
import { editAccountOptions } from "#lib/accounts/client.ts";
import { roleLabels } from "#lib/vocabulary.ts";
import { PasswordForm } from "./password-form.tsx";
import { SessionList } from "./session-list.tsx";
import { TwoFactorPanel } from "./two-factor-panel.tsx";

/** The reader's own name, password, second factor and sessions. */
export function AccountView({ twoFactor }: { twoFactor: boolean }) {
  const { email, role } = useReader();
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <Panel title="You">
        <div className="flex flex-col gap-4">
          <Facts>
            <Fact name="E-mail">{email}</Fact>
            <Fact name="Role">{roleLabels[role]}</Fact>
          </Facts>
          <NameForm />
        </div>
      </Panel>
      <Panel title="Password">
        <PasswordForm />
      </Panel>
      <TwoFactorPanel key={String(twoFactor)} isOn={twoFactor} />
      <SessionList />
    </div>
  );
}

function NameForm() {
  const { name } = useReader();
  const router = useRouter();
  const { form, errors, busy, problem, submit } = useSentForm({
    schema: async () => (await import("#lib/accounts/schema.ts")).accountEdit,
    defaultValues: { name },
    options: editAccountOptions,
    fields: ["name"],
    onSuccess: () => {
      toastDone("Your name was changed.");
      router.refresh();
    },
  });
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field
        label="Name"
        hint="How the audit log calls you from now on."
        error={errors.name?.message}
        className="max-w-sm"
      >
        {(ids) => <Input {...ids} {...form.register("name")} autoComplete="name" />}
      </Field>
      <FormProblem message={problem} />
      <div>
        <Button type="submit" busy={busy}>
          Change the name
        </Button>
      </div>
    </form>
  );
}
