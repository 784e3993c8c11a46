"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useForm } from "react-hook-form";
import { ErrorState } from "#components/data-table/states.tsx";
import { SecretBox } from "#components/endpoints/secret-box.tsx";
import { useReader } from "#components/layout/reader.tsx";
import { RecordSkeleton } from "#components/layout/record-skeleton.tsx";
import { useUnsavedChanges } from "#components/layout/unsaved-changes.ts";
import { Button } from "#components/ui/button.tsx";
import { Checkbox, Field, FormProblem, Input } from "#components/ui/field.tsx";
import { ConfirmDialog } from "#components/ui/lazy-dialog.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { toastDone } from "#components/ui/toast.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { showServerErrors } from "#lib/api/forms.ts";
import {
  editNoticeSettingsOptions,
  noticeSettingsOptions,
  replaceNoticeSecretOptions,
} from "#lib/notices/client.ts";
import type { NoticeSettings } from "#lib/notices/schema.ts";
import { type NoticeKind, noticeKinds } from "#lib/vocabulary.ts";

const choices = {
  failing: {
    label: "It has been failing",
    hint: "Nothing but failures for 10 minutes, or so many that sending has stopped for as long.",
  },
  disabled: { label: "It was disabled", hint: "Nothing is sent to it any more until you resume it." },
  recovered: { label: "It works again", hint: "After it had failed or was disabled, a delivery succeeded." },
} satisfies Record<NoticeKind, { label: string; hint: string }>;

/** What the reader is told about their endpoints, and where. */
export function NoticeSettingsPanel() {
  const { viaLink, role } = useReader();
  const hasAccount = role === "affiliate" && !viaLink;
  const query = useQuery({ ...noticeSettingsOptions(), enabled: hasAccount });
  if (!hasAccount) {
    return (
      <Panel title="Tell me">
        <p className="text-ink-2">
          Notices go to people with an account. You came here without one of this affiliate's: sign in with
          yours to choose.
        </p>
      </Panel>
    );
  }
  if (query.data) return <SettingsForm settings={query.data} />;
  if (query.error) {
    return (
      <ErrorState
        what="Your choice"
        error={query.error}
        onRetry={() => void query.refetch()}
        busy={query.isFetching}
      />
    );
  }
  return <RecordSkeleton />;
}

type Values = { kinds: NoticeKind[]; by_email: boolean; webhook_url: string };

function SettingsForm({ settings }: { settings: NoticeSettings }) {
  const { email } = useReader();
  const edit = useMutation(editNoticeSettingsOptions);
  const [problem, setProblem] = useState<string | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const form = useForm<Values>({ values: valuesOf(settings), resetOptions: { keepDirtyValues: true } });
  const { errors, isDirty } = form.formState;
  useUnsavedChanges(isDirty);
  const send = form.handleSubmit(({ kinds, by_email, webhook_url }) => {
    if (edit.isPending) return;
    setProblem(null);
    const url = webhook_url.trim();
    edit.mutate(
      { kinds: [...kinds], by_email, webhook_url: url === "" ? null : url },
      {
        onSuccess: (saved) => {
          form.reset(valuesOf(saved));
          setSecret(saved.secret ?? null);
          toastDone("Your choice was saved.");
        },
        onError: (error) =>
          setProblem(showServerErrors(error, { fields: ["webhook_url"], setError: form.setError })),
      },
    );
  });
  const submit = (event: FormEvent) => void send(event).catch((error) => setProblem(errorWords(error)));
  return (
    <Panel title="Tell me">
      <form onSubmit={submit} noValidate className="flex flex-col gap-5">
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1 font-medium text-sm">When one of our endpoints changes</legend>
          {noticeKinds.map((kind) => (
            <Checkbox key={kind} {...form.register("kinds")} value={kind} hint={choices[kind].hint}>
              {choices[kind].label}
            </Checkbox>
          ))}
        </fieldset>
        <fieldset className="flex flex-col gap-3">
          <legend className="mb-1 font-medium text-sm">Where</legend>
          <Checkbox
            {...form.register("by_email")}
            hint={
              settings.email_possible
                ? "Once for each change."
                : "Posthorn's operators have not set up e-mail: until they do, none is sent."
            }
          >
            By e-mail to {email}
          </Checkbox>
          <Field
            label="By webhook"
            hint="A signed POST to this URL, tried up to five times. Leave it empty for none."
            error={errors.webhook_url?.message}
            className="max-w-xl"
          >
            {(ids) => (
              <Input
                {...ids}
                {...form.register("webhook_url")}
                type="url"
                inputMode="url"
                autoComplete="off"
                spellCheck={false}
                placeholder="https://example.com/notices"
              />
            )}
          </Field>
        </fieldset>
        {secret === null ? null : (
          <div className="flex max-w-xl flex-col gap-2">
            <p className="text-ink-2">
              Verify with this signing secret that a notice is from us. It is shown this once.
            </p>
            <SecretBox secret={secret} />
          </div>
        )}
        <FormProblem message={problem} />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" tone="primary" busy={edit.isPending}>
            Save
          </Button>
          {settings.webhook_url === null ? null : <ReplaceSecret onSecret={setSecret} />}
        </div>
      </form>
    </Panel>
  );
}

function valuesOf({ kinds, by_email, webhook_url }: NoticeSettings): Values {
  return { kinds, by_email, webhook_url: webhook_url ?? "" };
}

function ReplaceSecret({ onSecret }: { onSecret: (secret: string) => void }) {
  const [open, setOpen] = useState(false);
  const replace = useMutation(replaceNoticeSecretOptions);
  const confirm = () =>
    replace.mutate(undefined, {
      onSuccess: ({ secret }) => {
        setOpen(false);
        onSecret(secret);
      },
    });
  return (
    <>
      <Button
        onClick={() => {
          replace.reset();
          setOpen(true);
        }}
      >
        New signing secret
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        title="Make a new signing secret for notices?"
        confirmLabel="Make a new one"
        onConfirm={confirm}
        busy={replace.isPending}
        danger
        error={replace.error ? errorWords(replace.error, { withRequest: true }) : null}
      >
        <p>It is shown once and signs from the next notice on. The one before stops at once.</p>
      </ConfirmDialog>
    </>
  );
}
